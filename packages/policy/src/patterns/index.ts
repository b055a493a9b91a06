export {
  compilePattern,
  escapePatternWord,
  firstLiteral,
  isForSandboxes,
  isForToolCalls,
  literalWord,
  matchesAllowed,
  matchesCommandWord,
  matchWords,
  namesOf,
  type Pattern,
} from "./match-entry.ts";
export {
  isOutOfSight,
  SANDBOX_CHANGES,
  type SandboxAct,
  type SandboxCall,
  type SandboxChange,
  userWords,
  writeSandboxCall,
} from "./sandbox-call.ts";
export { subsumes } from "./subsume-pattern.ts";
export { TOOL_CALL_PREFIX, type ToolCall, ToolCallError, writeToolCall } from "./tool-call.ts";
