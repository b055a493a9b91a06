export { PtyConnections } from "./pty-connections.ts";
export { ptyRoutes } from "./pty-routes.ts";
export { Ptys } from "./ptys.ts";
