import { Cursor } from "./cursor.ts";

export type SqlDialect = "psql" | "sqlite" | "mysql";

export interface SqlToken {
  /** Words are in lower case; quoted names stand without their quotes. */
  readonly kind: "word" | "quoted" | "string" | "number" | "mark";
  readonly text: string;
}

/**
 * Databases and their settings differ on strings with backslashes, on comments and on brackets. These patterns match only
 * what all of them read alike.
 */
const SKIPPED = [
  /[ \t\n]+/y,
  // MySQL wants a blank after the dashes.
  /--(?:[ \t][^\n]*|(?=\n|$))/y,
  // PostgreSQL nests them; MySQL runs what is in `/*!` and obeys `/*+`.
  /\/\*(?![!+/*]|M!)(?:[^*/]|\*(?!\/)|\/(?!\*))*\*\//y,
];
const PATTERNS: readonly (readonly [SqlToken["kind"], RegExp])[] = [
  ["word", /[A-Za-z_]\w*(?!\$)/y],
  ["number", /(?:0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?![\w$])/y],
  ["string", /'(?:[^'\\]|''|\\+(?![\\']))*'(?!')/y],
  ["quoted", /"(?:[^"\\]|""|\\+(?![\\"]))*"(?!")/y],
  // A name in SQLite, an array or a subscript in PostgreSQL.
  ["quoted", /\[(?:[\w\s,.:]|'[\w\s.%-]*')*\]/y],
  ["mark", /::|-(?!-)|\/(?!\*)|[+*%=<>!|&^~.,();?@]/y],
];
const BACKTICKED = /`[^`\\]*`/y;

/** Splits SQL; undefined when it can't be split with certainty. */
export function splitSql(text: string, dialect: SqlDialect): readonly SqlToken[] | undefined {
  const cursor = new Cursor(text);
  const tokens: SqlToken[] = [];
  while (true) {
    while (SKIPPED.some((pattern) => cursor.take(pattern)));
    if (cursor.done) return tokens;
    const token = takeToken(cursor, dialect);
    if (token === undefined) return undefined;
    tokens.push(token);
  }
}

function takeToken(cursor: Cursor, dialect: SqlDialect): SqlToken | undefined {
  for (const [kind, pattern] of PATTERNS) {
    const text = cursor.take(pattern);
    if (text !== undefined) return { kind, text: kind === "quoted" ? text.slice(1, -1) : lower(kind, text) };
  }
  // To PostgreSQL a backtick is part of an operator; to MySQL `#` begins a comment.
  const name = dialect === "psql" ? undefined : cursor.take(BACKTICKED);
  if (name !== undefined) return { kind: "quoted", text: name.slice(1, -1) };
  return dialect === "psql" && cursor.take(/#/y) !== undefined ? { kind: "mark", text: "#" } : undefined;
}

function lower(kind: SqlToken["kind"], text: string): string {
  return kind === "word" ? text.toLowerCase() : text;
}
