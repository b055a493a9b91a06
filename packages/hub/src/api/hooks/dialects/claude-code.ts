import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import {
  type Dialect,
  type HookAnswer,
  type HookCall,
  type HookTool,
  jsonAnswer,
  NO_ANSWER,
  type ReportedEnd,
  type Verdict,
} from "../calls/index.ts";
import { mcpTool } from "./mcp-tool.ts";
import { AGENT_RUN_MS, millisecondsSchema, momentOf, objectSchema, saidSchema } from "./read-event.ts";

type Input = Readonly<Record<string, unknown>>;

const shellSchema = z.looseObject({ command: z.string(), description: saidSchema, timeout: millisecondsSchema });
const lineSchema = z.int().min(0).max(1_000_000_000).optional();
const readSchema = z.looseObject({ file_path: z.string(), offset: lineSchema, limit: lineSchema });
const writeSchema = z.looseObject({ file_path: z.string(), content: z.string() });
const textEditSchema = z.looseObject({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});
const editSchema = textEditSchema.extend({ file_path: z.string() });
const multiEditSchema = z.looseObject({ file_path: z.string(), edits: z.array(textEditSchema).min(1).max(1_000) });
const notebookSchema = z.looseObject({
  notebook_path: z.string(),
  new_source: z.string().optional(),
  cell_id: z.string().optional(),
  cell_type: z.string().optional(),
  edit_mode: z.string().optional(),
});
const grepSchema = z.looseObject({ pattern: z.string(), path: z.string().optional() });
const resourceSchema = z.looseObject({ server: z.string(), uri: z.string() });

/** Internal to the agent, or about something that was asked before. */
const INNER = new Set([
  "Agent",
  "AskUserQuestion",
  "BashOutput",
  "Brief",
  "CronList",
  "EnterPlanMode",
  "ExitPlanMode",
  "KillShell",
  "LSP",
  "ListAgents",
  "ListMcpResourcesTool",
  "ProposeGoal",
  "ProposeSkills",
  "ReadNotifications",
  "ReportFindings",
  "ScheduleWakeup",
  "SendMessage",
  "SendUserMessage",
  "Skill",
  "SlashCommand",
  "StructuredOutput",
  "Task",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskStop",
  "TaskUpdate",
  "TodoWrite",
  "ToolSearch",
  "WaitForMcpServers",
]);

/**
 * Tools that no command corresponds to. They are judged as calls of the agent's own tools (`mcp:claude-code WebSearch
 * …`).
 */
const OWN_CALLS = new Set([
  "Artifact",
  "CronCreate",
  "CronDelete",
  "EnterWorktree",
  "ExitWorktree",
  "PushNotification",
  "RemoteTrigger",
  "SendUserFile",
  "WebFetch",
  "WebSearch",
]);

function readClaudeTool(name: string, input: Input): HookTool {
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (read) return read(input);
  if (INNER.has(name)) return { kind: "inner" };
  if (OWN_CALLS.has(name)) return { kind: "mcp", server: "claude-code", tool: name, arguments: input };
  return mcpTool("claude-code", name, input) ?? { kind: "unknown" };
}

const READERS: Readonly<Record<string, (input: Input) => HookTool>> = {
  Bash: shell,
  // Runs a command and reports its output.
  Monitor: shell,
  Read(input) {
    const { file_path, offset, limit } = readOrRefuse(readSchema, input, "tool_input.");
    const startLine = offset === undefined ? undefined : Math.max(1, offset);
    const endLine = limit === undefined ? undefined : (startLine ?? 1) + Math.max(1, limit) - 1;
    return { kind: "look", look: { kind: "file", path: file_path, startLine, endLine } };
  },
  Write(input) {
    const { file_path: path, content } = readOrRefuse(writeSchema, input, "tool_input.");
    return { kind: "files", changes: [{ kind: "write", path, content }] };
  },
  Edit(input) {
    const { file_path: path, ...edit } = readOrRefuse(editSchema, input, "tool_input.");
    return { kind: "files", changes: [{ kind: "edit", path, edits: [textEdit(edit)] }] };
  },
  MultiEdit(input) {
    const { file_path: path, edits } = readOrRefuse(multiEditSchema, input, "tool_input.");
    return { kind: "files", changes: [{ kind: "edit", path, edits: edits.map(textEdit) }] };
  },
  NotebookEdit(input) {
    const { notebook_path: path, new_source = "", ...cell } = readOrRefuse(notebookSchema, input, "tool_input.");
    const { edit_mode: how = "replace", cell_type: type = "", cell_id: id = "" } = cell;
    // The cell's id, and whether it is deleted, are part of the change.
    const head = `${how} cell ${JSON.stringify(id)} ${type}`.trimEnd();
    return { kind: "files", changes: [{ kind: "change", path, text: `${head}\n${new_source}` }] };
  },
  Grep(input) {
    const { pattern, path = "." } = readOrRefuse(grepSchema, input, "tool_input.");
    return { kind: "look", look: { kind: "search", pattern, path } };
  },
  Glob(input) {
    const { pattern, path = "." } = readOrRefuse(grepSchema, input, "tool_input.");
    return { kind: "look", look: { kind: "names", pattern, path } };
  },
  ReadMcpResourceTool: resource,
  ReadMcpResourceDirTool: resource,
};

function resource(input: Input): HookTool {
  const { server, uri } = readOrRefuse(resourceSchema, input, "tool_input.");
  return { kind: "mcp", server, tool: "resources/read", arguments: { uri } };
}

function shell(input: Input): HookTool {
  const { command, description, timeout = 0 } = readOrRefuse(shellSchema, input, "tool_input.");
  return { kind: "shell", command, reason: description, timeoutMs: Math.max(timeout, AGENT_RUN_MS) };
}

function textEdit({
  old_string: oldText,
  new_string: newText,
  replace_all: all = false,
}: z.infer<typeof textEditSchema>) {
  return { oldText, newText, all };
}

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
