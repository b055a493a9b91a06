import { readOrRefuse } from "@countersign/core/errors";
import { canonicalize, type Json } from "@countersign/receipts";
import * as z from "zod";
import type { FileChange, HookTool } from "../calls/index.ts";

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
export function readCursorTool(name: string, input: Input): HookTool {
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
