export { RpcError, type RpcEvent, RpcLink } from "./rpc-link.ts";
