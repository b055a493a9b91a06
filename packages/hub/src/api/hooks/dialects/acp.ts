import { readOrRefuse } from "@countersign/core/errors";
import { quoteWord, quoteWords } from "@countersign/protocol/text";
import * as z from "zod";
import {
  type Dialect,
  type FileChange,
  type HookCall,
  type HookTool,
  jsonAnswer,
  NO_ANSWER,
  type ReportedEnd,
} from "../calls/index.ts";
import { AGENT_RUN_MS, momentOf, objectSchema } from "./read-event.ts";

type Input = Readonly<Record<string, unknown>>;

const terminalSchema = z.looseObject({
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.looseObject({ name: z.string().regex(/^[A-Za-z_]\w*$/), value: z.string() })).nullish(),
  cwd: z.string().nullish(),
});
const lineSchema = z.int().min(0).max(1_000_000_000).nullish().catch(undefined);
const readSchema = z.looseObject({ path: z.string(), line: lineSchema, limit: lineSchema });
const writeSchema = z.looseObject({ path: z.string(), content: z.string() });
const diffSchema = z.looseObject({
  type: z.literal("diff"),
  path: z.string(),
  oldText: z.string().nullish(),
  newText: z.string(),
});
const askedSchema = z.looseObject({
  toolCall: z.looseObject({
    kind: z.string().nullish(),
    title: z.string().nullish(),
    rawInput: z.unknown().optional(),
    content: z.array(z.unknown()).nullish().catch(undefined),
  }),
});
const shellSchema = z.looseObject({
  command: z.union([z.string(), z.array(z.string()).min(1)]),
  cwd: z.string().optional().catch(undefined),
});

/** Internal to the agent, or between it and its user. */
const INNER = new Set(["think", "switch_mode"]);

/** Reads an agent's request to its editor. */
function readAcpTool(method: string, params: Input): HookTool {
  switch (method) {
    case "terminal/create":
      return readTerminal(params);
    case "fs/write_text_file": {
      const { path, content } = readOrRefuse(writeSchema, params, "params.");
      return { kind: "files", changes: [{ kind: "write", path, content }] };
    }
    case "fs/read_text_file": {
      const { path, line, limit } = readOrRefuse(readSchema, params, "params.");
      const startLine = line || undefined;
      const endLine = limit ? (startLine ?? 1) + limit - 1 : undefined;
      return { kind: "look", look: { kind: "file", path, startLine, endLine } };
    }
    default:
      return readAsked(params);
  }
}

/** Without arguments the command is a shell line: editors run it so. */
function readTerminal(params: Input): HookTool {
  const { command, args, env, cwd } = readOrRefuse(terminalSchema, params, "params.");
  const line = args?.length ? quoteWords([command, ...args]) : command;
  const set = (env ?? []).map(({ name, value }) => `export ${name}=${quoteWord(value)}; `).join("");
  return { kind: "shell", command: `${set}${line}`, cwd: cwd ?? undefined, timeoutMs: AGENT_RUN_MS };
}

/**
 * A title is for people and can differ from what will happen. If an agent gives no tool input, a person is asked about
 * a tool with this title; it is never classified as a command that could be safe.
 */
function readAsked(params: Input): HookTool {
  const { toolCall } = readOrRefuse(askedSchema, params, "params.");
  const { kind, title, rawInput, content } = toolCall;
  if (kind && INNER.has(kind)) return { kind: "inner" };
  const changes = (content ?? []).flatMap(readDiff);
  const shell = shellSchema.safeParse(rawInput);
  // A request that says it runs a command stays one even if it also shows a diff.
  const runs = kind === "execute" || (kind == null && changes.length === 0);
  if (shell.success && runs) {
    const { command, cwd } = shell.data;
    const line = typeof command === "string" ? command : quoteWords(command);
    return { kind: "shell", command: line, cwd, timeoutMs: AGENT_RUN_MS };
  }
  if (changes.length > 0) return { kind: "files", changes };
  const given = objectSchema.safeParse(rawInput);
  const said = title ? { title } : {};
  return {
    kind: "mcp",
    server: "acp",
    tool: kind || "other",
    arguments: given.success ? { ...said, ...given.data } : said,
  };
}

/** Reads a diff, of a whole file or a piece: replacing the old text with the new one covers both. */
function readDiff(part: unknown): FileChange[] {
  const { data } = diffSchema.safeParse(part);
  if (data === undefined) return [];
  const { path, oldText, newText } = data;
  if (oldText == null) return [{ kind: "write", path, content: newText }];
  return [{ kind: "edit", path, edits: [{ oldText, newText, all: false }] }];
}

const PERMISSION = "session/request_permission";
const TERMINAL = "terminal/create";

const eventSchema = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string(),
  call_id: z.string(),
  cwd: z.string().optional(),
  params: objectSchema,
});

const MOMENTS = new Map<string, HookCall["moment"]>([
  [PERMISSION, "before"],
  [TERMINAL, "before"],
  ["fs/read_text_file", "before"],
  ["fs/write_text_file", "before"],
  ["ended", "after"],
]);

/**
 * An agent of the Agent Client Protocol, through `countersign acp`. Events are the agent's requests; the form of the
 * answer is ours.
 */
export const acp: Dialect = {
  read(event) {
    const read = readOrRefuse(eventSchema, event, "Not an event of an ACP agent: ");
    const moment = momentOf(read.hook_event_name, MOMENTS);
    return {
      eventName: read.hook_event_name,
      moment,
      sessionId: read.session_id,
      cwd: read.cwd,
      callId: read.call_id,
      toolName: read.hook_event_name,
      toolInput: read.params,
      tool: moment === "after" ? { kind: "unknown" } : readAcpTool(read.hook_event_name, read.params),
      ...(moment === "after" ? { ended: readEnd(read.params) } : {}),
    };
  },
  write({ moment, tool }, verdict) {
    if (moment === "after") return NO_ANSWER;
    // A terminal may run only a judged command, nothing that was merely mentioned.
    const judged = tool.kind;
    switch (verdict.kind) {
      case "deny":
        return jsonAnswer({ decision: "deny", reason: verdict.words });
      case "allow":
        return jsonAnswer({
          decision: "allow",
          judged,
          ...(verdict.command === undefined ? {} : { command: verdict.command }),
        });
      // Left to the editor.
      case "ask":
      case "nothing":
        return jsonAnswer({ decision: "ask", judged });
    }
  },
  asks: ({ eventName }) => eventName === PERMISSION,
  rewrites: ({ eventName }) => eventName === TERMINAL,
};

const endSchema = z.looseObject({
  exitCode: z.int().min(0).max(255).optional(),
  output: z.string().optional(),
  failed: z.string().optional(),
  aborted: z.string().optional(),
  rejected: z.string().optional(),
});

function readEnd(params: unknown): ReportedEnd {
  const { exitCode, output: stdout = "", failed, aborted, rejected } = readOrRefuse(endSchema, params, "params.");
  if (rejected !== undefined) return { kind: "not-started", reason: rejected };
  if (aborted !== undefined) return { kind: "aborted", reason: aborted, stdout };
  if (failed !== undefined) return { kind: "exited", reason: failed, stdout };
  return exitCode === undefined ? { kind: "exited", stdout } : { kind: "exited", exitCode, stdout };
}
