import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import { type Dialect, type HookCall, type HookTool, jsonAnswer, NO_ANSWER, type ReportedEnd } from "../calls/index.ts";
import { AGENT_RUN_MS, millisecondsSchema, momentOf, objectSchema, saidSchema } from "./read-event.ts";

type Input = Readonly<Record<string, unknown>>;

const shellSchema = z.looseObject({
  command: z.string(),
  description: saidSchema,
  workdir: z.string().optional(),
  timeout: millisecondsSchema,
});
const lineSchema = z.int().min(1).max(1_000_000_000).optional().catch(undefined);
const readSchema = z.looseObject({ filePath: z.string(), offset: lineSchema, limit: lineSchema });
const writeSchema = z.looseObject({ filePath: z.string(), content: z.string() });
const editSchema = z.looseObject({
  filePath: z.string(),
  oldString: z.string(),
  newString: z.string(),
  replaceAll: z.boolean().optional(),
});
const directorySchema = z.looseObject({ path: z.string().optional() });
const searchSchema = directorySchema.extend({ pattern: z.string() });

/** `task` starts another agent, whose tools are asked about as well. */
const INNER = new Set(["invalid", "question", "skill", "task", "todoread", "todowrite", "plan_enter", "plan_exit"]);
/** They run tools that this plugin doesn't see, or patch files in a format that isn't read here. */
const UNREAD = new Set(["batch", "patch", "apply_patch"]);

/** An MCP tool's name joins server and tool with a character that either can hold, so rules match the whole name. */
function readOpencodeTool(name: string, input: Input): HookTool {
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (read) return read(input);
  if (INNER.has(name)) return { kind: "inner" };
  return UNREAD.has(name) ? { kind: "unknown" } : { kind: "mcp", server: "opencode", tool: name, arguments: input };
}

const READERS: Readonly<Record<string, (input: Input) => HookTool>> = {
  bash(input) {
    const { command, description, workdir, timeout } = readOrRefuse(shellSchema, input, "tool_input.");
    return { kind: "shell", command, cwd: workdir, reason: description, timeoutMs: timeout ?? AGENT_RUN_MS };
  },
  read(input) {
    const { filePath: path, offset: startLine, limit } = readOrRefuse(readSchema, input, "tool_input.");
    const endLine = limit === undefined ? undefined : (startLine ?? 1) + limit - 1;
    return { kind: "look", look: { kind: "file", path, startLine, endLine } };
  },
  write(input) {
    const { filePath: path, content } = readOrRefuse(writeSchema, input, "tool_input.");
    return { kind: "files", changes: [{ kind: "write", path, content }] };
  },
  edit(input) {
    const { filePath: path, ...edit } = readOrRefuse(editSchema, input, "tool_input.");
    const { oldString: oldText, newString: newText, replaceAll: all = false } = edit;
    return { kind: "files", changes: [{ kind: "edit", path, edits: [{ oldText, newText, all }] }] };
  },
  list(input) {
    const { path = "." } = readOrRefuse(directorySchema, input, "tool_input.");
    return { kind: "look", look: { kind: "directory", path } };
  },
  grep(input) {
    const { pattern, path = "." } = readOrRefuse(searchSchema, input, "tool_input.");
    return { kind: "look", look: { kind: "search", pattern, path } };
  },
  glob(input) {
    const { pattern, path = "." } = readOrRefuse(searchSchema, input, "tool_input.");
    return { kind: "look", look: { kind: "names", pattern, path } };
  },
};

const eventSchema = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string(),
  call_id: z.string(),
  cwd: z.string(),
  tool_name: z.string(),
  tool_input: objectSchema,
  tool_response: z.unknown().optional(),
});

const MOMENTS = new Map<string, HookCall["moment"]>([
  ["tool.execute.before", "before"],
  ["tool.execute.after", "after"],
]);

/**
 * OpenCode, through our plugin, in a format of ours. The plugin throws unless it is allowed, and the model reads the
 * error.
 */
export const opencode: Dialect = {
  read(event) {
    const read = readOrRefuse(eventSchema, event, "Not an event of OpenCode: ");
    const moment = momentOf(read.hook_event_name, MOMENTS);
    return {
      eventName: read.hook_event_name,
      moment,
      sessionId: read.session_id,
      cwd: read.cwd,
      callId: read.call_id,
      toolName: read.tool_name,
      toolInput: read.tool_input,
      tool: readOpencodeTool(read.tool_name, read.tool_input),
      ...(moment === "after" ? { ended: readEnd(read.tool_response) } : {}),
    };
  },
  write({ moment }, verdict) {
    if (moment === "after") return NO_ANSWER;
    switch (verdict.kind) {
      case "deny":
      case "ask":
        return jsonAnswer({ decision: "deny", reason: verdict.words });
      case "allow":
        return jsonAnswer({
          decision: "allow",
          ...(verdict.command === undefined ? {} : { command: verdict.command }),
        });
      case "nothing":
        return jsonAnswer({ decision: "allow" });
    }
  },
  // OpenCode's own settings decide whether it asks, and by default allow everything.
  asks: () => false,
  rewrites: () => true,
};

const responseSchema = z.looseObject({
  output: z.string().optional().catch(undefined),
  metadata: z
    .looseObject({ exit: z.int().min(0).max(255).nullish().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** A shell command without an exit code was ended early. */
function readEnd(response: unknown): ReportedEnd | undefined {
  const { data } = responseSchema.safeParse(response);
  if (data === undefined) return undefined;
  const stdout = data.output ?? "";
  const { exit } = data.metadata ?? {};
  if (exit === null) return { kind: "aborted", reason: "Ended by the agent", stdout };
  return { kind: "exited", exitCode: exit ?? 0, stdout };
}
