export { EditFileTool } from "./edit-file-tool.ts";
export { ListDirTool } from "./list-dir-tool.ts";
export { listCommand, readCommand } from "./read-commands.ts";
export { MAX_COMPARED_BYTES } from "./read-current.ts";
export { ReadFileTool } from "./read-file-tool.ts";
export { createCommand, replaceCommand } from "./write-commands.ts";
export { WriteFileTool } from "./write-file-tool.ts";
