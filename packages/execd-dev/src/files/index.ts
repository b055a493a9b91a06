export { makeDirectory } from "./change-files.ts";
export { fileRoutes } from "./file-routes.ts";
export { WorkspaceFiles } from "./workspace-files.ts";
