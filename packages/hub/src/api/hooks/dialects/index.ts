export { acp } from "./acp.ts";
export { claudeCode } from "./claude-code.ts";
export { codex } from "./codex.ts";
export { cursor } from "./cursor.ts";
export { gemini } from "./gemini.ts";
export { opencode } from "./opencode.ts";
