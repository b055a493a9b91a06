import { MAX_COMMAND_LENGTH, type Span } from "../model/index.ts";

/** A call of an MCP server's tool. The server runs it, so only the call's text is known. */
export interface ToolCall {
  readonly server: string;
  readonly tool: string;
  /** As in JSON. The caller must have rejected numbers that a double can't represent. */
  readonly arguments: { readonly [key: string]: unknown };
}

/** Prefix of the first word of every tool call. Programs have no `:` in their names. */
export const TOOL_CALL_PREFIX = "mcp:";

/** Deepest nesting of arguments. */
const MAX_DEPTH = 32;

/** Thrown if a call has no text, so no decision about it is possible. */
export class ToolCallError extends Error {
  override readonly name = "ToolCallError";
  readonly code: "INVALID_NAME" | "INVALID_ARGUMENTS" | "TOO_DEEP";

  constructor(code: ToolCallError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Writes the call as the text that is proposed: `mcp:<server> <tool> key=value …` as bash words, with sorted keys. Each
 * call has exactly one text, and no two calls share one. A string is written as it is unless it could be taken for
 * JSON; other values are JSON. Invisible characters (controls, direction marks, half characters) are escaped.
 */
export function writeToolCall({ server, tool, arguments: given }: ToolCall): string {
  const words = [`${TOOL_CALL_PREFIX}${writeName(server)}`, writeName(tool)];
  for (const key of Object.keys(given).sort()) words.push(`${writeKey(key)}=${writeValue(given[key])}`);
  return words.map(quote).join(" ");
}

function writeName(name: string): string {
  if (name !== "" && name.isWellFormed() && !name.includes("\0")) return name;
  throw new ToolCallError("INVALID_NAME", "A server's or tool's name is empty, or isn't text that can be shown");
}

function writeKey(key: string): string {
  return /^[^"=\s][^=]*$/.test(key) && !UNSEEN.test(key) ? key : writeJson(key, 0);
}

function writeValue(value: unknown): string {
  if (typeof value !== "string" || UNSEEN.test(value) || isJson(value)) return writeJson(value, 0);
  return value;
}

/** Characters that a reader of the card wouldn't see. Line ends and tabs are visible. */
const UNSEEN =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Surrogate}]/u;
const ALL_UNSEEN = new RegExp(UNSEEN.source, "gu");

/** Writes JSON with sorted keys and no spaces. */
function writeJson(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new ToolCallError("TOO_DEEP", `The arguments nest deeper than ${MAX_DEPTH} levels`);
  if (typeof value === "string") return escapeUnseen(JSON.stringify(value));
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => writeJson(one, depth + 1)).join(",")}]`;
  if (typeof value !== "object") throw new ToolCallError("INVALID_ARGUMENTS", "An argument is nothing that JSON knows");
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, one]) => `${writeJson(key, depth)}:${writeJson(one, depth + 1)}`).join(",")}}`;
}

function escapeUnseen(json: string): string {
  return json.replace(ALL_UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** Reports whether the text is valid JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const PLAIN_WORD = /^[A-Za-z0-9_.,:@%+=/-]+$/;

function quote(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** An argument as written in the text. */
export interface ReadArgument {
  readonly key: string;
  readonly value: unknown;
  readonly span: Span;
}

/** A parsed tool call. */
export interface ReadToolCall {
  readonly server: string;
  readonly tool: string;
  readonly words: readonly string[];
  /** Span of the server's and the tool's name. */
  readonly span: Span;
  readonly arguments: readonly ReadArgument[];
}

/**
 * Reads the texts that `writeToolCall` writes, and the same as people type them. Undefined for a command for bash: a
 * text with an expansion, an operator or anything after the call.
 */
export function readToolCall(text: string): ReadToolCall | undefined {
  if (!/^['"]?mcp:/.test(text) || text.length > MAX_COMMAND_LENGTH) return undefined;
  const words = splitWords(text);
  const [head, tool, ...rest] = words ?? [];
  if (head === undefined || tool === undefined || tool.word === "") return undefined;
  const server = head.word.slice(TOOL_CALL_PREFIX.length);
  if (server === "") return undefined;
  const given: ReadArgument[] = [];
  for (const { word, span } of rest) {
    const read = readArgument(word);
    if (read === undefined) return undefined;
    given.push({ ...read, span });
  }
  return {
    server,
    tool: tool.word,
    words: [head.word, tool.word, ...rest.map(({ word }) => word)],
    span: { pos: head.span.pos, end: tool.span.end },
    arguments: given,
  };
}

function readArgument(word: string): Pick<ReadArgument, "key" | "value"> | undefined {
  const quoted = /^"(?:[^"\\]|\\.)*"(?==)/s.exec(word)?.[0];
  const at = quoted === undefined ? word.indexOf("=") : quoted.length;
  if (at < 1) return undefined;
  const key = quoted === undefined ? word.slice(0, at) : readJson(quoted);
  if (typeof key !== "string") return undefined;
  const text = word.slice(at + 1);
  return { key, value: readJson(text) ?? (text === "null" ? null : text) };
}

/** Parses JSON; undefined if it isn't JSON. The caller handles `null`. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Parts of a word that bash takes literally: plain text, either kind of quotes, or a quote after a backslash. */
const PIECE = /'[^']*'|"[^"$`\\!]*"|\\['"]|[^\s'"\\$`;&|<>(){}[\]*#]+/y;

function splitWords(text: string): { readonly word: string; readonly span: Span }[] | undefined {
  const words: { word: string; span: Span }[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === " ") {
      at += 1;
      continue;
    }
    const pos = at;
    let word = "";
    while (at < text.length && text[at] !== " ") {
      PIECE.lastIndex = at;
      const piece = PIECE.exec(text)?.[0];
      if (piece === undefined) return undefined;
      word += unquote(piece);
      at += piece.length;
    }
    words.push({ word, span: { pos, end: at } });
  }
  return words;
}

function unquote(piece: string): string {
  if (piece.startsWith("\\")) return piece.slice(1);
  return /^['"]/.test(piece) ? piece.slice(1, -1) : piece;
}
