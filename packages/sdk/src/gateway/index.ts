export type { ConnectionState, StateListener } from "./connection.ts";
export { GatewayClient, type MessageListener } from "./gateway-client.ts";
export type { GatewayClientOptions, RequestOptions } from "./gateway-options.ts";
