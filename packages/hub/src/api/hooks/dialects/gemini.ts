import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import { type Dialect, type HookCall, type HookTool, jsonAnswer, NO_ANSWER, type ReportedEnd } from "../calls/index.ts";
import { AGENT_RUN_MS, momentOf, objectSchema, saidSchema } from "./read-event.ts";

type Input = Readonly<Record<string, unknown>>;

interface GeminiCall {
  readonly tool_name: string;
  readonly tool_input: Input;
  readonly mcp_context?: { readonly server_name: string; readonly tool_name: string } | undefined;
}

const shellSchema = z.looseObject({
  command: z.string(),
  description: saidSchema,
  dir_path: z.string().optional(),
});
const lineSchema = z.int().min(1).max(1_000_000_000).optional();
const fileSchema = z.looseObject({ file_path: z.string(), start_line: lineSchema, end_line: lineSchema });
const writeSchema = z.looseObject({ file_path: z.string(), content: z.string() });
const replaceSchema = z.looseObject({
  file_path: z.string(),
  old_string: z.string(),
  new_string: z.string(),
  allow_multiple: z.boolean().optional(),
});
const directorySchema = z.looseObject({ dir_path: z.string().optional() });
const searchSchema = directorySchema.extend({ pattern: z.string() });

const INNER = new Set([
  "activate_skill",
  "ask_user",
  "complete_task",
  "enter_plan_mode",
  "exit_plan_mode",
  "get_internal_docs",
  "invoke_agent",
  "update_topic",
  "write_todos",
]);
const OWN_CALLS = new Set(["google_web_search", "web_fetch"]);

/** Takes the server from `mcp_context`: the tool's name joins server and tool with characters that either can hold. */
function readGeminiTool({ tool_name: name, tool_input: input, mcp_context: mcp }: GeminiCall): HookTool {
  if (mcp) return { kind: "mcp", server: mcp.server_name, tool: mcp.tool_name, arguments: input };
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (read) return read(input);
  if (INNER.has(name)) return { kind: "inner" };
  return OWN_CALLS.has(name) ? { kind: "mcp", server: "gemini", tool: name, arguments: input } : { kind: "unknown" };
}

const READERS: Readonly<Record<string, (input: Input) => HookTool>> = {
  run_shell_command(input) {
    const { command, description, dir_path: cwd } = readOrRefuse(shellSchema, input, "tool_input.");
    return { kind: "shell", command, cwd, reason: description, timeoutMs: AGENT_RUN_MS };
  },
  read_file(input) {
    const { file_path, start_line: startLine, end_line: endLine } = readOrRefuse(fileSchema, input, "tool_input.");
    return { kind: "look", look: { kind: "file", path: file_path, startLine, endLine } };
  },
  write_file(input) {
    const { file_path: path, content } = readOrRefuse(writeSchema, input, "tool_input.");
    return { kind: "files", changes: [{ kind: "write", path, content }] };
  },
  replace(input) {
    const { file_path: path, ...edit } = readOrRefuse(replaceSchema, input, "tool_input.");
    const { old_string: oldText, new_string: newText, allow_multiple: all = false } = edit;
    return { kind: "files", changes: [{ kind: "edit", path, edits: [{ oldText, newText, all }] }] };
  },
  list_directory(input) {
    const { dir_path: path = "." } = readOrRefuse(directorySchema, input, "tool_input.");
    return { kind: "look", look: { kind: "directory", path } };
  },
  grep_search(input) {
    const { pattern, dir_path: path = "." } = readOrRefuse(searchSchema, input, "tool_input.");
    return { kind: "look", look: { kind: "search", pattern, path } };
  },
  glob(input) {
    const { pattern, dir_path: path = "." } = readOrRefuse(searchSchema, input, "tool_input.");
    return { kind: "look", look: { kind: "names", pattern, path } };
  },
};

const eventSchema = z.looseObject({
  session_id: z.string(),
  cwd: z.string().optional(),
  hook_event_name: z.string(),
  tool_name: z.string(),
  tool_input: objectSchema,
  tool_response: z.unknown().optional(),
  mcp_context: z.looseObject({ server_name: z.string(), tool_name: z.string() }).optional(),
});

const MOMENTS = new Map<string, HookCall["moment"]>([
  ["BeforeTool", "before"],
  ["AfterTool", "after"],
]);

/** Gemini CLI treats any text as allowance if the exit code is 0, so nothing else is printed. */
export const gemini: Dialect = {
  read(event) {
    const read = readOrRefuse(eventSchema, event, "Not an event of Gemini CLI: ");
    const moment = momentOf(read.hook_event_name, MOMENTS);
    return {
      eventName: read.hook_event_name,
      moment,
      sessionId: read.session_id,
      cwd: read.cwd,
      callId: undefined,
      toolName: read.tool_name,
      toolInput: read.tool_input,
      tool: readGeminiTool(read),
      ...(moment === "after" ? { ended: readEnd(read.tool_response) } : {}),
    };
  },
  write({ moment, toolInput }, verdict) {
    if (moment === "after") return NO_ANSWER;
    switch (verdict.kind) {
      case "deny":
        return jsonAnswer({ decision: "deny", reason: verdict.words });
      case "ask":
        return jsonAnswer({ decision: "ask", systemMessage: verdict.words });
      case "allow": {
        if (verdict.command === undefined) return jsonAnswer({ decision: "allow" });
        // The whole input: depending on the caller it replaces the old one or is merged into it.
        const tool_input = { ...toolInput, command: verdict.command };
        return jsonAnswer({ decision: "allow", hookSpecificOutput: { hookEventName: "BeforeTool", tool_input } });
      }
      case "nothing":
        return NO_ANSWER;
    }
  },
  asks: () => true,
  rewrites: () => true,
};

const responseSchema = z.looseObject({
  llmContent: z.unknown(),
  error: z.looseObject({ message: z.string().optional(), type: z.string().optional() }).nullish(),
});

/** The text for the model has lines for an exit code that isn't 0, a signal, or an early end. */
function readEnd(response: unknown): ReportedEnd | undefined {
  const { data } = responseSchema.safeParse(response);
  const text = typeof data?.llmContent === "string" ? data.llmContent : "";
  const stdout = text;
  if (/^Background PIDs?: |^Command moved to background/m.test(text)) return undefined;
  if (/^Command was (?:cancelled|automatically cancelled)/m.test(text)) {
    return { kind: "aborted", reason: "Cancelled in the agent", stdout };
  }
  // The last such line, because the output before it could hold one too.
  const code = [...text.matchAll(/^Exit Code: (\d{1,3})$/gm)].at(-1)?.[1];
  if (code !== undefined) return { kind: "exited", exitCode: Number(code), stdout };
  if (/^Signal: \S/m.test(text) || data?.error) {
    return { kind: "exited", reason: "The agent says that it failed", stdout, stderr: data?.error?.message ?? "" };
  }
  return { kind: "exited", exitCode: 0, stdout };
}
