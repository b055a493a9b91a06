import { z } from "zod";
import { readOrRefuse } from "../../../read-or-refuse.ts";
import { type Dialect, type HookCall, jsonAnswer, NO_ANSWER, type ReportedEnd } from "../hook-call.ts";
import type { HookTool } from "../hook-tool.ts";
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
  /** Of the server: where it is reached, or how it was started. */
  url: z.string().optional(),
  command: z.string().optional(),
  server_name: z.string().optional(),
  result_json: z.string().optional(),
});
const readSchema = z.looseObject({ file_path: z.string() });

const MOMENTS = new Map<string, HookCall["moment"]>([
  ["beforeShellExecution", "before"],
  ["beforeMCPExecution", "before"],
  ["beforeReadFile", "before"],
  ["afterShellExecution", "after"],
  ["afterMCPExecution", "after"],
]);

export const cursor: Dialect = {
  read(event) {
    const { hook_event_name: eventName, ...base } = readOrRefuse(eventSchema, event, "Not an event of Cursor: ");
    const moment = momentOf(eventName, MOMENTS);
    const [root] = base.workspace_roots ?? [];
    const call = { eventName, moment, sessionId: base.conversation_id, cwd: root, callId: undefined };
    if (eventName.endsWith("ShellExecution")) return { ...call, ...shellCall(event, root, moment) };
    if (eventName.endsWith("MCPExecution")) return { ...call, ...mcpCall(event, moment) };
    const { file_path } = readOrRefuse(readSchema, event);
    const tool: HookTool = { kind: "look", look: { kind: "file", path: file_path } };
    return { ...call, toolName: "Read", toolInput: { file_path }, tool };
  },
  write({ moment }, verdict) {
    if (moment === "after" || verdict.kind === "nothing") return NO_ANSWER;
    if (verdict.kind === "allow") return jsonAnswer({ permission: "allow" });
    return jsonAnswer({ permission: verdict.kind, user_message: verdict.words, agent_message: verdict.words });
  },
  asks: ({ eventName }) => eventName !== "beforeReadFile",
  rewrites: () => false,
};

type Rest = Pick<HookCall, "toolName" | "toolInput" | "tool" | "ended" | "cwd">;

function shellCall(event: unknown, root: string | undefined, moment: HookCall["moment"]): Rest {
  const { command, cwd, output = "" } = readOrRefuse(shellSchema, event);
  return {
    toolName: "Shell",
    toolInput: { command },
    cwd: root || cwd,
    // Cursor says "" where the command runs in the workspace.
    tool: { kind: "shell", command, cwd: cwd || undefined, timeoutMs: AGENT_RUN_MS },
    ...(moment === "after" ? { ended: untold(output) } : {}),
  };
}

function mcpCall(event: unknown, moment: HookCall["moment"]): Omit<Rest, "cwd"> {
  const read = readOrRefuse(mcpSchema, event);
  const given = asObject(read.tool_input);
  const server = read.server_name ?? read.url ?? read.command ?? "cursor";
  return {
    toolName: `MCP:${read.tool_name}`,
    toolInput: given,
    tool: { kind: "mcp", server: server.slice(0, MAX_SERVER), tool: read.tool_name, arguments: given },
    ...(moment === "after" ? { ended: untold(read.result_json ?? "") } : {}),
  };
}

const MAX_SERVER = 256;

/** It comes as JSON in a text, or as it is. */
function asObject(input: unknown): Readonly<Record<string, unknown>> {
  let value = input;
  try {
    if (typeof input === "string") value = JSON.parse(input);
  } catch {
    // Not JSON: then it is one text.
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : { input: value ?? null };
}

function untold(stdout: string): ReportedEnd {
  return { kind: "exited", reason: "Cursor doesn't tell its exit code", stdout };
}
