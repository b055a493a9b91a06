export { createHttpApp } from "./http-app.ts";
export { listenOnSocket } from "./socket.ts";
