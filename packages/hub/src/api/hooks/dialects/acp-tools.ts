import { readOrRefuse } from "@countersign/core/errors";
import { quoteWord, quoteWords } from "@countersign/protocol/text";
import * as z from "zod";
import type { FileChange, HookTool } from "../calls/index.ts";
import { AGENT_RUN_MS, objectSchema } from "./read-event.ts";

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
export function readAcpTool(method: string, params: Input): HookTool {
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
