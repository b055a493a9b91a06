import { readOrRefuse } from "@countersign/core/errors";
import { JsonError, parseJson } from "@countersign/receipts";
import * as z from "zod";
import { notJson } from "../../index.ts";
import { type Dialect, type HookCall, type HookTool, jsonAnswer, NO_ANSWER, type ReportedEnd } from "../calls/index.ts";
import { readCursorTool } from "./cursor-tools.ts";
import { AGENT_RUN_MS, momentOf } from "./read-event.ts";

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
const readSchema = z.looseObject({ file_path: z.string() });
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
    const { file_path } = readOrRefuse(readSchema, event);
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
