import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import type { HookTool } from "../calls/index.ts";
import { mcpTool } from "./mcp-tool.ts";
import { AGENT_RUN_MS, millisecondsSchema, saidSchema } from "./read-event.ts";

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

export function readClaudeTool(name: string, input: Input): HookTool {
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
