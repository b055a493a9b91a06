import { type Brackets, Cursor, findRegexEnd } from "./cursor.ts";
import type { TextReading } from "./text-reading.ts";

const UNCLEAR = "Gives awk a program that can't be read with certainty";
const RUNS = "Gives awk a program that runs other programs";
const WRITES = "Gives awk a program that writes files";
const READS = "Gives awk a program that reads other files";
const SHOWS = "Gives awk a program that shows the environment";

const KEYWORDS = words("if while for do else switch case in print printf return exit delete getline function func");
/** Functions that only read their arguments, or set the given arrays and the seed. */
const PURE =
  words(`and asort asorti atan2 compl cos exp fflush gensub gsub index int isarray length log lshift match mktime
  or patsplit rand rshift sin split sprintf sqrt srand strftime strtonum sub substr systime tolower toupper typeof xor`);
const REACHES: Readonly<Record<string, string>> = {
  system: RUNS,
  ENVIRON: SHOWS,
  ARGV: READS,
  ARGC: READS,
  close: UNCLEAR,
  SYMTAB: UNCLEAR,
  FUNCTAB: UNCLEAR,
  PROCINFO: UNCLEAR,
  bindtextdomain: UNCLEAR,
  dcgettext: UNCLEAR,
  dcngettext: UNCLEAR,
};
/** Some versions pass these to the C library unchecked, and a wrong format corrupts memory. */
const FORMATS = ["OFMT", "CONVFMT"];
const SAFE_FORMAT = /^"%[-+ 0#]*\d{0,3}(?:\.\d{1,3})?[aeEfFgGdi]"$/;
const ENDS_STATEMENT = [";", "}", "\n"];
const CONTINUES = [",", "&&", "||", "{", "else", "do"];

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

/** Returns why an awk program does more than turn its input into output. */
export function findAwkProblem(text: string): string | undefined {
  return findProblem(splitAwk(text));
}

export function readAwk(text: string): TextReading {
  const tokens = splitAwk(text);
  const problem = findProblem(tokens);
  const found = findReaches(tokens ?? []);
  // If the program can't be split, search its text.
  const runsInput = tokens === undefined ? /\bsystem\s*\(|\|\s*&?\s*(?:getline|")/.test(text) : found.runsInput;
  return { ...found, runsInput, ...(problem === undefined ? {} : { problem }) };
}

function findProblem(tokens: readonly AwkToken[] | undefined): string | undefined {
  return tokens === undefined ? UNCLEAR : (findFlowProblem(tokens) ?? findNameProblem(tokens));
}

function findNameProblem(tokens: readonly AwkToken[]): string | undefined {
  const own = new Set(tokens.flatMap(({ text }, at) => (isFunction(tokens[at - 1]?.text) ? [text] : [])));
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== "name" || KEYWORDS.has(text)) continue;
    const next = tokens[at + 1];
    if (next?.text === "(" && next.joined && !PURE.has(text) && !own.has(text)) return REACHES[text] ?? UNCLEAR;
    if (Object.hasOwn(REACHES, text) && !isHarmlessMention(tokens, at)) return REACHES[text];
    if (FORMATS.includes(text) && !setsSafeFormat(tokens, at)) return UNCLEAR;
  }
  return undefined;
}

function isFunction(text: string | undefined): boolean {
  return text === "function" || text === "func";
}

/**
 * Reports whether a special variable is only read: `FILENAME == ARGV[1]` compares the file, `PROCINFO["sorted_in"]`
 * sets the order of `for`.
 */
function isHarmlessMention(tokens: readonly AwkToken[], at: number): boolean {
  const text = (offset: number) => tokens[at + offset]?.text ?? "\n";
  if (text(1) !== "[" || text(3) !== "]") return false;
  if (text(0) === "PROCINFO") return text(2) === '"sorted_in"';
  const compared = text(-2) === "FILENAME" && text(-1) === "==" && tokens[at + 2]?.kind === "number";
  return text(0) === "ARGV" && compared && ["{", ")", "&&", "||", ...ENDS_STATEMENT].includes(text(4));
}

function setsSafeFormat(tokens: readonly AwkToken[], at: number): boolean {
  const [assigns, value, end] = [1, 2, 3].map((offset) => tokens[at + offset]?.text ?? "\n");
  return assigns === "=" && SAFE_FORMAT.test(value ?? "") && ENDS_STATEMENT.includes(end ?? "");
}

interface Flow {
  /** Open parentheses. */
  depth: number;
  /** In a print statement, where `>` outside parentheses is a redirect. */
  printing: boolean;
  /** The depth of a `getline` in the same statement, after which `<` names a file. */
  getline?: number | undefined;
  /**
   * The last token that doesn't end a line. A statement that continues on the next line also continues over empty ones.
   */
  previous?: AwkToken;
}

function findFlowProblem(tokens: readonly AwkToken[]): string | undefined {
  const flow: Flow = { depth: 0, printing: false };
  for (const [at, token] of tokens.entries()) {
    const problem = token.kind === "string" || token.kind === "regex" ? undefined : step(flow, tokens, at);
    if (problem !== undefined) return problem;
    if (token.kind !== "newline") flow.previous = token;
  }
  return flow.depth === 0 ? undefined : UNCLEAR;
}

function step(flow: Flow, tokens: readonly AwkToken[], at: number): string | undefined {
  const { text } = tokens[at] as AwkToken;
  if (isPipe(text)) return RUNS;
  if (text === ">" || text === ">>") return judgeGreater(flow, tokens, at);
  if (text === "<" && flow.getline !== undefined) return READS;
  if (text === "getline") flow.getline = flow.depth;
  else if (text === "(") flow.depth += 1;
  else if (text === ")") return close(flow);
  else if (text === "print" || text === "printf") return startPrint(flow);
  else if (text === "\n") return endLine(flow);
  else if (text === ";" || text === "{" || text === "}") return endStatement(flow, text);
  return undefined;
}

function judgeGreater(flow: Flow, tokens: readonly AwkToken[], at: number): string | undefined {
  if (!flow.printing) return tokens[at]?.text === ">" ? undefined : UNCLEAR;
  if (flow.depth > 0) return tokens[at]?.text === ">" ? undefined : UNCLEAR;
  const [target, end] = [tokens[at + 1]?.text ?? "", tokens[at + 2]?.text ?? "\n"];
  const own = target === '"/dev/stderr"' || target === '"/dev/stdout"';
  return own && ENDS_STATEMENT.includes(end) ? undefined : WRITES;
}

function close(flow: Flow): string | undefined {
  if (flow.getline === flow.depth) flow.getline = undefined;
  flow.depth -= 1;
  return flow.depth < 0 ? UNCLEAR : undefined;
}

function startPrint(flow: Flow): string | undefined {
  flow.printing = true;
  return flow.depth > 0 ? UNCLEAR : undefined;
}

/** Ends a line. Some versions continue the statement after `?` and `:`, others don't. */
function endLine(flow: Flow): string | undefined {
  const { previous } = flow;
  const open = previous?.kind === "mark" && !/^(?:[)\]};]|\+\+|--)$/.test(previous.text);
  if (CONTINUES.includes(previous?.text ?? "")) return undefined;
  if (flow.depth > 0 || (open && flow.printing)) return UNCLEAR;
  flow.printing = false;
  flow.getline = undefined;
  return undefined;
}

function endStatement(flow: Flow, text: string): string | undefined {
  flow.getline = undefined;
  if (flow.depth > 0) return text === ";" && !flow.printing ? undefined : UNCLEAR;
  flow.printing = false;
  return undefined;
}

/** Tokens allowed before an expression, and after one. */
const BEGINS = ["(", "{", "}", ";", "\n", "&&", "||", "!", "=", ",", "?", ":"];
const ENDS = [")", "}", ";", "\n"];

/** Returns the commands and files that the program names as plain strings; composed ones aren't known. */
function findReaches(tokens: readonly AwkToken[]): Omit<TextReading, "problem"> {
  const found = { commands: [] as string[], writes: [] as string[], reads: [] as string[], runsInput: false };
  for (const at of tokens.keys()) {
    const command = findCommand(tokens, at);
    if (command === "open") found.runsInput = true;
    else if (command !== undefined) found.commands.push(command.text);
    const [text, next] = [textAt(tokens, at), takePlain(tokens, at + 1, ENDS)];
    if (next !== undefined && (text === ">" || text === ">>")) found.writes.push(next);
    if (next !== undefined && text === "<") found.reads.push(next);
  }
  return found;
}

function isPipe(text: string): boolean {
  return text === "|" || text === "|&";
}

function findCommand(tokens: readonly AwkToken[], at: number): { readonly text: string } | "open" | undefined {
  const text = textAt(tokens, at);
  if (text === "system") return wrap(takePlain(tokens, at + 2, [")"]));
  if (!isPipe(text)) return undefined;
  if (textAt(tokens, at + 1) !== "getline") return wrap(takePlain(tokens, at + 1, ENDS));
  return wrap(BEGINS.includes(textAt(tokens, at - 2)) ? takePlain(tokens, at - 1, [text]) : undefined);
}

function wrap(text: string | undefined): { readonly text: string } | "open" {
  return text === undefined ? "open" : { text };
}

/** Returns the token's string if one of `ends` follows; if not, it is only a part of an expression. */
function takePlain(tokens: readonly AwkToken[], at: number, ends: readonly string[]): string | undefined {
  const token = tokens[at];
  if (token?.kind !== "string" || !ends.includes(textAt(tokens, at + 1))) return undefined;
  return token.text.slice(1, -1).replace(/\\(.)/g, "$1");
}

/** Returns the token's text, or a newline before the beginning and after the end. */
function textAt(tokens: readonly AwkToken[], at: number): string {
  return tokens[at]?.text ?? "\n";
}

interface AwkToken {
  readonly kind: "name" | "number" | "string" | "regex" | "newline" | "mark";
  readonly text: string;
  /** Nothing separates this token from the one before it. */
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
/** Tokens before a slash that begins a regular expression. Versions differ after operators, which nobody writes. */
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
function splitAwk(text: string): readonly AwkToken[] | undefined {
  const cursor = new Cursor(text);
  const tokens: AwkToken[] = [];
  const opened: boolean[] = [];
  let end = 0;
  let afterControl = false;
  while (true) {
    cursor.take(SPACE);
    // BusyBox and others may continue a comment after a backslash.
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
