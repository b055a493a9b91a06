export { followOutput } from "./follow-output.ts";
export { Processes } from "./processes.ts";
export { LineSplitter } from "./split-lines.ts";
export { unjailed } from "./start-unjailed.ts";
