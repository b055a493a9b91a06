export { PtyDoor } from "./pty-door.ts";
export { ptyRoutes } from "./pty-routes.ts";
export { Ptys } from "./ptys.ts";
