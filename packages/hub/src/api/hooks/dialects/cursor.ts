import { readOrRefuse } from "@countersign/core/errors";
import { canonicalize, type Json, JsonError, parseJson } from "@countersign/receipts";
import * as z from "zod";
import { notJson } from "../../index.ts";
import {
  type Dialect,
  type FileChange,
  type HookCall,
  type HookTool,
  jsonAnswer,
  NO_ANSWER,
  type ReportedEnd,
} from "../calls/index.ts";
import { AGENT_RUN_MS, momentOf } from "./read-event.ts";

type Input = Readonly<Record<string, unknown>>;

/** Its manual, transcripts and hooks use different names. Two that differ in value leave open which one is used. */
const PATH_NAMES = ["file_path", "path", "target_file", "target_notebook", "notebook_path", "target_directory"];
const TEXT_NAMES = ["content", "contents"];
const GLOB_NAMES = ["glob_pattern", "pattern"];

const lineSchema = z.int().min(1).max(1_000_000_000).optional().catch(undefined);
const readSchema = z.looseObject({ offset: lineSchema, limit: lineSchema });
const textEditSchema = z.looseObject({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});
const editsSchema = z.looseObject({ edits: z.array(textEditSchema).min(1).max(1_000) });
const grepSchema = z.looseObject({ pattern: z.string() });

/** Internal to the agent. Shell commands and MCP calls have events of their own. */
const INNER = new Set(["AskQuestion", "CreatePlan", "ReadLints", "Shell", "SwitchMode", "TodoRead", "TodoWrite"]);

/** Reads a tool call. Asks about an unknown tool by its name and input, as one of the agent's own tools. */
function readCursorTool(name: string, input: Input): HookTool {
  if (INNER.has(name) || name.startsWith("MCP:")) return { kind: "inner" };
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  return read?.(input) ?? { kind: "mcp", server: "cursor", tool: name, arguments: input };
}

const READERS: Readonly<Record<string, (input: Input) => HookTool | undefined>> = {
  Write: edited,
  Edit: edited,
  MultiEdit: edited,
  StrReplace: edited,
  EditNotebook: edited,
  Delete(input) {
    const path = textOf(input, PATH_NAMES);
    return path === undefined ? undefined : { kind: "files", changes: [{ kind: "remove", path }] };
  },
  Read(input) {
    const path = textOf(input, PATH_NAMES);
    if (path === undefined) return undefined;
    const { offset: startLine, limit } = readOrRefuse(readSchema, input, "tool_input.");
    const endLine = limit === undefined ? undefined : (startLine ?? 1) + limit - 1;
    return { kind: "look", look: { kind: "file", path, startLine, endLine } };
  },
  LS(input) {
    return { kind: "look", look: { kind: "directory", path: textOf(input, PATH_NAMES) ?? "." } };
  },
  Grep(input) {
    const { pattern } = readOrRefuse(grepSchema, input, "tool_input.");
    return { kind: "look", look: { kind: "search", pattern, path: textOf(input, PATH_NAMES) ?? "." } };
  },
  Glob(input) {
    const pattern = textOf(input, GLOB_NAMES);
    if (pattern === undefined) return undefined;
    return { kind: "look", look: { kind: "names", pattern, path: textOf(input, PATH_NAMES) ?? "." } };
  },
};

/** Shows an edit as a diff if it can be read in only one way, and otherwise as it came. */
function edited(input: Input): HookTool | undefined {
  const path = textOf(input, PATH_NAMES);
  if (path === undefined) return undefined;
  const changes = [wholeFile(path, input), oneEdit(path, input), manyEdits(path, input)].filter(
    (change) => change !== undefined,
  );
  const [only] = changes;
  const change: FileChange =
    only !== undefined && changes.length === 1 ? only : { kind: "change", path, text: canonicalize(input as Json) };
  return { kind: "files", changes: [change] };
}

function wholeFile(path: string, input: Input): FileChange | undefined {
  const content = textOf(input, TEXT_NAMES);
  return content === undefined ? undefined : { kind: "write", path, content };
}

function oneEdit(path: string, input: Input): FileChange | undefined {
  const { data } = textEditSchema.safeParse(input);
  return data && { kind: "edit", path, edits: [textEdit(data)] };
}

function manyEdits(path: string, input: Input): FileChange | undefined {
  const { data } = editsSchema.safeParse(input);
  return data && { kind: "edit", path, edits: data.edits.map(textEdit) };
}

function textEdit({ old_string, new_string, replace_all: all = false }: z.infer<typeof textEditSchema>) {
  return { oldText: old_string, newText: new_string, all };
}

/** Undefined unless exactly one text has one of these names. */
function textOf(input: Input, names: readonly string[]): string | undefined {
  const given = new Set(
    names.flatMap((name) => (Object.hasOwn(input, name) && input[name] !== null ? [input[name]] : [])),
  );
  const [only] = given;
  return given.size === 1 && typeof only === "string" ? only : undefined;
}

const eventSchema = z.looseObject({
  conversation_id: z.string(),
  hook_event_name: z.string(),
  workspace_roots: z.array(z.string()).optional(),
});
const shellSchema = z.looseObject({ command: z.string(), cwd: z.string().optional(), output: z.string().optional() });
const mcpSchema = z.looseObject({
  tool_name: z.string(),
  tool_input: z.unknown(),
  /** The MCP server's address, or the command that started it. */
  url: z.string().optional(),
  command: z.string().optional(),
  mcp_server_name: z.string().optional(),
  server_name: z.string().optional(),
  result_json: z.string().optional(),
});
const readEventSchema = z.looseObject({ file_path: z.string() });
const toolSchema = z.looseObject({
  tool_name: z.string(),
  tool_input: z.unknown(),
  tool_use_id: z.string().min(1).optional(),
  cwd: z.string().optional().catch(undefined),
  tool_output: z.unknown().optional(),
  error_message: z.string().optional().catch(undefined),
  is_interrupt: z.boolean().optional().catch(undefined),
});

const MOMENTS = new Map<string, HookCall["moment"]>([
  ["beforeShellExecution", "before"],
  ["beforeMCPExecution", "before"],
  ["beforeReadFile", "before"],
  ["preToolUse", "before"],
  ["afterShellExecution", "after"],
  ["afterMCPExecution", "after"],
  ["postToolUse", "after"],
  ["postToolUseFailure", "after"],
]);

/**
 * Cursor obeys only denials: its own rules still apply to everything else, and it continues if told to ask. So nothing
 * is handed back to it. It still gets an explicit "allow", because with `failClosed` a missing answer blocks.
 */
export const cursor: Dialect = {
  read(event) {
    const { hook_event_name: eventName, ...base } = readOrRefuse(eventSchema, event, "Not an event of Cursor: ");
    const moment = momentOf(eventName, MOMENTS);
    const [root] = base.workspace_roots ?? [];
    const call = { eventName, moment, sessionId: base.conversation_id, cwd: root, callId: undefined };
    if (eventName.endsWith("ShellExecution")) return { ...call, ...shellCall(event, root, moment) };
    if (eventName.endsWith("MCPExecution")) return { ...call, ...mcpCall(event, moment) };
    if (TOOL_EVENTS.has(eventName)) return { ...call, ...toolCall(event, root, eventName) };
    const { file_path } = readOrRefuse(readEventSchema, event);
    const tool: HookTool = { kind: "look", look: { kind: "file", path: file_path } };
    return { ...call, toolName: "Read", toolInput: { file_path }, tool };
  },
  write({ moment }, verdict) {
    if (moment === "after") return NO_ANSWER;
    if (verdict.kind === "allow" || verdict.kind === "nothing") return jsonAnswer({ permission: "allow" });
    return jsonAnswer({ permission: "deny", user_message: verdict.words, agent_message: verdict.words });
  },
  asks: () => false,
  rewrites: () => false,
};

const TOOL_EVENTS = new Set(["preToolUse", "postToolUse", "postToolUseFailure"]);

type Rest = Pick<HookCall, "toolName" | "toolInput" | "tool" | "ended" | "cwd">;

function shellCall(event: unknown, root: string | undefined, moment: HookCall["moment"]): Rest {
  const { command, cwd, output = "" } = readOrRefuse(shellSchema, event);
  return {
    toolName: "Shell",
    toolInput: { command },
    cwd: root || cwd,
    // Cursor sends "" if the command runs in the workspace.
    tool: { kind: "shell", command, cwd: cwd || undefined, timeoutMs: AGENT_RUN_MS },
    ...(moment === "after" ? { ended: untold(output) } : {}),
  };
}

function mcpCall(event: unknown, moment: HookCall["moment"]): Omit<Rest, "cwd"> {
  const read = readOrRefuse(mcpSchema, event);
  const given = asObject(read.tool_input);
  const server = read.mcp_server_name ?? read.server_name ?? read.url ?? read.command ?? "cursor";
  return {
    toolName: `MCP:${read.tool_name}`,
    toolInput: given,
    tool: { kind: "mcp", server: server.slice(0, MAX_SERVER), tool: read.tool_name, arguments: given },
    ...(moment === "after" ? { ended: untold(read.result_json ?? "") } : {}),
  };
}

const MAX_SERVER = 256;

/** Everything without an event of its own: edits, reads, searches, and tools of later versions. */
function toolCall(event: unknown, root: string | undefined, eventName: string): Rest & Pick<HookCall, "callId"> {
  const read = readOrRefuse(toolSchema, event);
  const toolInput = asObject(read.tool_input);
  const tool = readCursorTool(read.tool_name, toolInput);
  const call = {
    toolName: read.tool_name,
    toolInput,
    tool,
    callId: read.tool_use_id,
    cwd: root || read.cwd || undefined,
  };
  if (eventName === "preToolUse") return call;
  const stdout = typeof read.tool_output === "string" ? read.tool_output : "";
  if (eventName === "postToolUse") return { ...call, ended: untold(stdout) };
  const reason = read.error_message ?? "Cursor says that it failed";
  return { ...call, ended: { kind: read.is_interrupt ? "aborted" : "exited", reason, stdout } };
}

/** The input is an object, or JSON in a text. */
function asObject(input: unknown): Readonly<Record<string, unknown>> {
  const value = typeof input === "string" ? readText(input) : input;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : { input: value ?? null };
}

/** Refuses JSON with a repeated key, because Cursor may take the other value. Text that isn't JSON stays text. */
function readText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    const isRefused = cause instanceof SyntaxError && cause.cause instanceof JsonError;
    if (isRefused) throw notJson("tool_input", cause);
    return text;
  }
}

function untold(stdout: string): ReportedEnd {
  return { kind: "exited", reason: "Cursor doesn't tell its exit code", stdout };
}
