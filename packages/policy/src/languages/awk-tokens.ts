import { Cursor } from "./cursor.ts";
import { type Brackets, findRegexEnd } from "./regex-end.ts";

export interface AwkToken {
  readonly kind: "name" | "number" | "string" | "regex" | "newline" | "mark";
  readonly text: string;
  /** Nothing stands between this token and the one before it. */
  readonly joined: boolean;
}

const SPACE = /(?:[ \t]|\\\n)+/y;
const COMMENT = /#[^\n]*/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /(?:0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y;
const MARK = /\*\*=?|\+\+|--|\|\||&&|[-+*%^<>=!]=|!~|>>|\|&|:(?!:)|[-+*%^<>=!{}()[\];,?~$|]/y;

const READINGS: readonly Brackets[] = ["none", "posix", "first", "escaped"];
const CONTROL = ["if", "while", "for", "switch"];
/** Before a slash that begins a regular expression; after operators versions differ, and nobody writes that. */
const BEFORE_REGEX = ["{", "}", ";", "(", ",", "!", "~", "!~", "&&", "||", "?", ":", "=", "print", "return", "case"];
/** Words after which versions differ on whether a slash divides. */
const BEFORE_NOTHING = [
  "getline",
  "length",
  "printf",
  "else",
  "do",
  "in",
  "next",
  "exit",
  "delete",
  "function",
  "func",
];

/** Splits an awk program; undefined when versions of awk might split it differently. */
export function splitAwk(text: string): readonly AwkToken[] | undefined {
  const cursor = new Cursor(text);
  const tokens: AwkToken[] = [];
  const opened: boolean[] = [];
  let end = 0;
  let afterControl = false;
  while (true) {
    cursor.take(SPACE);
    // BusyBox and others may take the next line too after a backslash.
    if (cursor.take(COMMENT)?.endsWith("\\")) return undefined;
    if (cursor.done) return tokens;
    const joined = cursor.at === end;
    const token = takeToken(cursor, { previous: tokens.at(-1), afterControl });
    if (token === undefined) return undefined;
    afterControl = false;
    if (token.text === "(") opened.push(CONTROL.includes(tokens.at(-1)?.text ?? ""));
    else if (token.text === ")" && token.kind === "mark") afterControl = opened.pop() === true;
    tokens.push({ ...token, joined });
    end = cursor.at;
  }
}

interface Before {
  readonly previous: AwkToken | undefined;
  readonly afterControl: boolean;
}

function takeToken(cursor: Cursor, before: Before): Pick<AwkToken, "kind" | "text"> | undefined {
  const { here } = cursor;
  if (here === "\n") return { kind: "newline", text: cursor.next() };
  if (here === "/") return takeSlash(cursor, before);
  for (const [kind, pattern] of [
    ["name", NAME],
    ["number", NUMBER],
    ["string", STRING],
    ["mark", MARK],
  ] as const) {
    const text = cursor.take(pattern);
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}

function takeSlash(cursor: Cursor, before: Before): Pick<AwkToken, "kind" | "text"> | undefined {
  const meaning = readSlash(before);
  if (meaning === "divides") return { kind: "mark", text: cursor.take(/\/=?/y) ?? "" };
  if (meaning === "unclear") return undefined;
  const start = cursor.at;
  const end = findRegexEnd(cursor.text, start + 1, { delimiter: "/", readings: READINGS });
  if (end === undefined) return undefined;
  cursor.at = end + 1;
  const text = cursor.text.slice(start, cursor.at);
  // Old versions of gawk never close `[[]`.
  return text.replace(/\\./g, "").includes("[]") ? undefined : { kind: "regex", text };
}

function readSlash({ previous, afterControl }: Before): "divides" | "begins-regex" | "unclear" {
  if (previous === undefined || previous.kind === "newline") return "begins-regex";
  const { kind, text } = previous;
  if ((kind === "mark" || kind === "name") && BEFORE_REGEX.includes(text)) return "begins-regex";
  if (afterControl || kind === "regex" || BEFORE_NOTHING.includes(text)) return "unclear";
  return kind !== "mark" || text === ")" || text === "]" ? "divides" : "unclear";
}
