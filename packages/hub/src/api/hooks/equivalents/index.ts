export { fileCommand } from "./file-commands.ts";
export { lookCommand } from "./look-commands.ts";
