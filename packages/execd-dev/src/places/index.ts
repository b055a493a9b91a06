export { ConfinedTree, type Root } from "./confined-tree.ts";
export { goDuration, goEndWords, goErrno, goExitCode } from "./go-words.ts";
export { openTree } from "./open-tree.ts";
export type { ProcessEnd, ProcessStarter, StartedProcess, StartRequest, TerminalSize } from "./process-starter.ts";
export { Surroundings } from "./surroundings.ts";
export { OutsideError, type Place, type Tree, type Wish } from "./tree.ts";
