export { httpDoor } from "./http-door.ts";
export { listenOnSocket } from "./socket.ts";
