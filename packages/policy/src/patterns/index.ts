export {
  compilePattern,
  escapePatternWord,
  firstLiteral,
  isForSandboxes,
  isForToolCalls,
  literalOf,
  matchesAllowed,
  matchesCommandWord,
  matchWords,
  namesOf,
  type Pattern,
  subsumes,
} from "./pattern.ts";
export {
  isOutOfSight,
  type ReadSandboxCall,
  readSandboxCall,
  type SandboxAct,
  type SandboxCall,
  type SandboxChange,
  userWords,
  writeSandboxCall,
} from "./sandbox-call.ts";
export {
  type ReadArgument,
  type ReadToolCall,
  readToolCall,
  type ToolCall,
  ToolCallError,
  writeToolCall,
} from "./tool-call.ts";
