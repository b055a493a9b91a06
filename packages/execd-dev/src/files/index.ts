export { makeDirectory } from "./change-files.ts";
export { FileRoom } from "./file-room.ts";
export { fileRoutes } from "./file-routes.ts";
