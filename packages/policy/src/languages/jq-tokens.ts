import { Cursor } from "./cursor.ts";

export interface JqToken {
  /** A string that holds code is several tokens: its text up to `\(`, that code, `)`, and so on. */
  readonly kind: "name" | "field" | "variable" | "format" | "number" | "string" | "mark";
  readonly text: string;
}

const SKIPPED = /[ \t\n]+/y;
const COMMENT = /#[^\n]*/y;
const STRING_PART = /(?:[^"\\]|\\[^(])*/y;
const PATTERNS: readonly (readonly [JqToken["kind"], RegExp])[] = [
  ["name", /[A-Za-z_]\w*/y],
  ["variable", /\$[A-Za-z_]\w*/y],
  ["format", /@[A-Za-z]\w*/y],
  ["number", /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y],
  ["mark", /\.\./y],
  ["field", /\.[A-Za-z_]\w*/y],
  ["mark", /\?\/\/=?|\/\/=?|[-+*/%|=!<>]=|:(?!:)|[-+*/%|=<>.,;?()[\]{}]/y],
];
/** yq reads on to the next of these, over quotes too, so one of them must stand there. */
const YQ_FIELD = /\.(?:[A-Za-z_][\w-]*|"[\w.-]+")\??(?=[ ;{}:[\],|.()=\n]|$)/y;

/** Splits a jq or yq filter; undefined when it can't be split with certainty. */
export function splitJq(text: string, language: "jq" | "yq"): readonly JqToken[] | undefined {
  const cursor = new Cursor(text);
  const tokens: JqToken[] = [];
  /** For each open parenthesis: whether it is one in a string. */
  const opened: boolean[] = [];
  while (true) {
    cursor.take(SKIPPED);
    const comment = cursor.take(COMMENT);
    // After a backslash newer versions take the next line too; yq knows comments only in part.
    if (comment?.endsWith("\\") || (comment !== undefined && language === "yq")) return undefined;
    if (comment !== undefined) continue;
    if (cursor.done) return opened.length === 0 ? tokens : undefined;
    const token = cursor.take(/"/y) === undefined ? takeToken(cursor, language) : takeString(cursor, language);
    if (token === undefined) return undefined;
    tokens.push(token);
    if (token.text === "(") opened.push(false);
    else if (token.text === ")") {
      const inString = opened.pop();
      const rest = inString ? takeString(cursor, language) : undefined;
      if (inString === undefined || (inString && rest === undefined)) return undefined;
      if (rest !== undefined) tokens.push(rest);
    }
    if (tokens.at(-1)?.text.endsWith("\\(")) opened.push(true);
  }
}

function takeToken(cursor: Cursor, language: "jq" | "yq"): JqToken | undefined {
  if (language === "yq" && cursor.here === ".") {
    const field = cursor.take(YQ_FIELD);
    if (field !== undefined) return { kind: "field", text: field };
    if (/^\.["A-Za-z_]/.test(cursor.text.slice(cursor.at, cursor.at + 2))) return undefined;
  }
  for (const [kind, pattern] of PATTERNS) {
    const text = cursor.take(pattern);
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}

/** Reads from within a string to its end, or to the `\(` where code begins. */
function takeString(cursor: Cursor, language: "jq" | "yq"): JqToken | undefined {
  const part = cursor.take(STRING_PART) ?? "";
  // Old versions of yq end the string at an escaped quote.
  if (language === "yq" && part.includes('\\"')) return undefined;
  const end = cursor.take(/"|\\\(/y);
  return end === undefined ? undefined : { kind: "string", text: part + end };
}
