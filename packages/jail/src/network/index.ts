export { type JailNetwork, JailNetworks } from "./jail-networks.ts";
