export { seccompProgram } from "./program.ts";
export { ProgramFile } from "./program-file.ts";
