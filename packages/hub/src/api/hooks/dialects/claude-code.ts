import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import {
  type Dialect,
  type HookAnswer,
  type HookCall,
  jsonAnswer,
  NO_ANSWER,
  type ReportedEnd,
  type Verdict,
} from "../calls/index.ts";
import { readClaudeTool } from "./claude-tools.ts";
import { momentOf, objectSchema } from "./read-event.ts";

export const claudeEventSchema = z.looseObject({
  session_id: z.string(),
  cwd: z.string().optional(),
  hook_event_name: z.string(),
  permission_mode: z.string().optional(),
  tool_name: z.string(),
  tool_input: objectSchema,
  tool_use_id: z.string().optional(),
  tool_response: z.unknown().optional(),
  error: z.unknown().optional(),
  is_interrupt: z.unknown().optional(),
});
export type ClaudeEvent = z.infer<typeof claudeEventSchema>;

const MOMENTS = new Map<string, HookCall["moment"]>([
  ["PreToolUse", "before"],
  ["PermissionRequest", "permission"],
  ["PostToolUse", "after"],
  ["PostToolUseFailure", "after"],
  ["PermissionDenied", "after"],
]);

/** Modes in which it asks its user when told to. In `auto` and `bypassPermissions` it treats `ask` as `allow`. */
const ASKING_MODES = new Set(["default", "acceptEdits", "plan"]);

export const claudeCode: Dialect = {
  read(event) {
    const read = readOrRefuse(claudeEventSchema, event, "Not an event of Claude Code: ");
    const moment = momentOf(read.hook_event_name, MOMENTS);
    return {
      ...callOf(read, moment),
      tool: readClaudeTool(read.tool_name, read.tool_input),
      // An event of the dialog itself means that the user is asked.
      asksNobody: moment === "before" && !ASKING_MODES.has(read.permission_mode ?? ""),
      ...(moment === "after" ? { ended: readClaudeEnd(read) } : {}),
    };
  },
  write(call, verdict) {
    if (call.moment === "after" || verdict.kind === "nothing") return NO_ANSWER;
    // The dialog that is about to open asks the user.
    if (call.moment === "permission") return verdict.kind === "ask" ? NO_ANSWER : permissionAnswer(verdict);
    const words = verdict.kind === "allow" ? rewritten(call, verdict) : { permissionDecisionReason: verdict.words };
    const permissionDecision = verdict.kind === "ask" && call.asksNobody ? "deny" : verdict.kind;
    return specific({ hookEventName: call.eventName, permissionDecision, ...words });
  },
  asks: ({ asksNobody }) => !asksNobody,
  rewrites: ({ moment }) => moment === "before",
};

export function callOf(event: ClaudeEvent, moment: HookCall["moment"]): Omit<HookCall, "tool"> {
  return {
    eventName: event.hook_event_name,
    moment,
    sessionId: event.session_id,
    cwd: event.cwd,
    callId: event.tool_use_id,
    toolName: event.tool_name,
    toolInput: event.tool_input,
  };
}

/** Returns the whole input, because fields that are left out would be lost. */
export function rewritten(
  { toolInput }: HookCall,
  { command }: Extract<Verdict, { kind: "allow" }>,
): { updatedInput?: object } {
  return command === undefined ? {} : { updatedInput: { ...toolInput, command } };
}

export function permissionAnswer(verdict: Extract<Verdict, { kind: "allow" | "deny" }>): HookAnswer {
  const words = verdict.kind === "deny" ? { message: verdict.words } : {};
  return specific({ hookEventName: "PermissionRequest", decision: { behavior: verdict.kind, ...words } });
}

export function specific(hookSpecificOutput: object): HookAnswer {
  return jsonAnswer({ hookSpecificOutput });
}

const responseSchema = z.looseObject({
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  interrupted: z.boolean().optional(),
  backgroundTaskId: z.string().optional(),
});

/** Undefined: the command goes on in the background, and its end isn't reported. */
function readClaudeEnd(event: ClaudeEvent): ReportedEnd | undefined {
  switch (event.hook_event_name) {
    case "PermissionDenied":
      return { kind: "not-started", reason: "Claude Code's own rules denied it" };
    case "PostToolUseFailure":
      return readFailure(event);
    default:
      return readResponse(event.tool_response);
  }
}

/** Claude Code gives a shell command's exit code at the start of the error text, if it isn't 0. */
function readFailure({ error, is_interrupt: interrupted }: ClaudeEvent): ReportedEnd {
  const text = typeof error === "string" ? error : "";
  if (interrupted === true) return { kind: "aborted", reason: "Interrupted by the agent's user", stderr: text };
  const [, code] = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(text) ?? [];
  if (code !== undefined) return { kind: "exited", exitCode: Number(code), stderr: text };
  return { kind: "exited", reason: "The agent says that it failed, and not how", stderr: text };
}

function readResponse(response: unknown): ReportedEnd | undefined {
  const { data = {} } = responseSchema.safeParse(response);
  if (data.backgroundTaskId !== undefined) return undefined;
  const texts = { stdout: data.stdout ?? "", stderr: data.stderr ?? "" };
  if (data.interrupted) return { kind: "aborted", reason: "Interrupted by the agent's user", ...texts };
  return { kind: "exited", exitCode: 0, ...texts };
}
