export {
  type Dialect,
  HOOK_AGENTS,
  type HookAgent,
  type HookAnswer,
  type HookCall,
  type HookQuestion,
  jsonAnswer,
  NO_ANSWER,
  type ReportedEnd,
  type Verdict,
} from "./hook-call.ts";
export type { FileChange, HookTool, Look, TextEdit } from "./hook-tool.ts";
