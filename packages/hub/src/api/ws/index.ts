export { Connection } from "./connection.ts";
export { pathOf, refuseUpgrade, takeSocket } from "./upgrade.ts";
export { GOING_AWAY, serveWebSockets } from "./web-sockets.ts";
