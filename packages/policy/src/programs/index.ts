export { findCode, runsCode } from "./code-files.ts";
export { judgeEdit } from "./judge-edit.ts";
export { FIND_NOT_IN_TABLE, judgeFind } from "./judge-find.ts";
export { judgeText } from "./judge-text.ts";
