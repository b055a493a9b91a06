import { MAX_COMMAND_LENGTH, type Span } from "../model/index.ts";
import { TOOL_CALL_PREFIX } from "../patterns/index.ts";

/** An argument as it stands in the text. */
export interface ReadArgument {
  readonly key: string;
  readonly value: unknown;
  readonly span: Span;
}

/** What a text says that stands for a tool call. */
export interface ReadToolCall {
  readonly server: string;
  readonly tool: string;
  readonly words: readonly string[];
  /** Of the server's and the tool's name together. */
  readonly span: Span;
  readonly arguments: readonly ReadArgument[];
}

/**
 * Reads what `writeToolCall` wrote, and the same as people type it. Undefined for everything else, which is a command for
 * bash: a text that expands anything, has an operator or goes on behind the call isn't a call.
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

/** Undefined where it isn't JSON; `null` is told apart by the caller. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Pieces of a word that bash takes as they are: plain, in either quotes, or a quote behind a backslash. */
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
