export { approvalLines, codeLines, commandLines, openingLines, unheldLines } from "./approval.ts";
export { day } from "./day.ts";
export { BUBBLEWRAP, noJailWords, thisJailMachine } from "./no-jail.ts";
export { previewLines, wasRun } from "./preview.ts";
export { savedLines, scopeLines } from "./scopes.ts";
export { scriptLines } from "./script-lines.ts";
