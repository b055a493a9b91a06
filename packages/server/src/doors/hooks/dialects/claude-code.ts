import { z } from "zod";
import { HubError } from "../../../hub-error.ts";
import { readOrRefuse } from "../../../read-or-refuse.ts";
import { type Dialect, type HookAnswer, type HookCall, type HookTool, NO_ANSWER, type Verdict } from "../hook-call.ts";

const eventSchema = z.looseObject({
  session_id: z.string(),
  cwd: z.string().optional(),
  hook_event_name: z.string(),
  tool_name: z.string(),
  tool_input: z.record(z.string(), z.unknown()),
  tool_use_id: z.string().optional(),
});

const bashSchema = z.looseObject({
  command: z.string(),
  description: z.string().max(2048).optional().catch(undefined),
  timeout: z.int().positive().optional().catch(undefined),
});

const MOMENTS: Readonly<Record<string, HookCall["moment"]>> = {
  PreToolUse: "before",
  PermissionRequest: "permission",
  PostToolUse: "after",
};

export const claudeCode: Dialect = {
  read(event) {
    const read = readOrRefuse(eventSchema, event, "Not an event of Claude Code: ");
    const moment = Object.hasOwn(MOMENTS, read.hook_event_name) ? MOMENTS[read.hook_event_name] : undefined;
    if (!moment) throw new HubError("INVALID_PARAMS", "hook_event_name: isn't one that Countersign answers");
    return {
      eventName: read.hook_event_name,
      moment,
      sessionId: read.session_id,
      cwd: read.cwd,
      callId: read.tool_use_id,
      toolName: read.tool_name,
      toolInput: read.tool_input,
      tool: readTool(read.tool_name, read.tool_input),
    };
  },
  write: writeClaude,
};

function readTool(name: string, input: Record<string, unknown>): HookTool {
  if (name !== "Bash") return { kind: "unknown" };
  const { command, description, timeout } = readOrRefuse(bashSchema, input, "tool_input.");
  return {
    kind: "shell",
    command,
    ...(description === undefined ? {} : { reason: description }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
}

function writeClaude({ eventName, moment }: HookCall, verdict: Verdict): HookAnswer {
  if (moment === "after" || verdict.kind === "nothing") return NO_ANSWER;
  return moment === "permission" ? permission(verdict) : preToolUse(eventName, verdict);
}

function preToolUse(hookEventName: string, verdict: Exclude<Verdict, { kind: "nothing" }>): HookAnswer {
  const words = verdict.kind === "deny" ? { permissionDecisionReason: verdict.words } : {};
  return specific({ hookEventName, permissionDecision: verdict.kind, ...words });
}

function permission(verdict: Exclude<Verdict, { kind: "nothing" }>): HookAnswer {
  const words = verdict.kind === "deny" ? { message: verdict.words } : {};
  return specific({ hookEventName: "PermissionRequest", decision: { behavior: verdict.kind, ...words } });
}

function specific(hookSpecificOutput: object): HookAnswer {
  return { stdout: JSON.stringify({ hookSpecificOutput }), exitCode: 0 };
}
