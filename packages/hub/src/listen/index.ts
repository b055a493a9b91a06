export { AllowedOrigins } from "./allowed-origins.ts";
export { type ClosableServer, closable } from "./closable-server.ts";
export { listenOnPort, timeLimits } from "./listen-on-port.ts";
export { planned, Reach, type ReachOptions } from "./reach.ts";
export { createWebServers } from "./web-servers.ts";
