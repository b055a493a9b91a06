import { type Brackets, Cursor, findRegexEnd } from "./cursor.ts";
import type { TextReading } from "./text-reading.ts";

const UNCLEAR = "Gives sed a script that can't be read with certainty";
const RUNS = "Gives sed a script that runs programs";
const WRITES = "Gives sed a script that writes files";
const READS = "Gives sed a script that reads other files";

/**
 * Returns why a script does more than turn its input into output. Several `-e` pieces are joined with newlines, as sed
 * does.
 */
export function findSedProblem(text: string): string | undefined {
  return readSed(text).problem;
}

interface Reading extends TextReading {
  readonly cursor: Cursor;
  readonly commands: string[];
  readonly writes: string[];
  readonly reads: string[];
  runsInput: boolean;
  problem?: string;
  /** The rest of the script isn't understood. */
  stopped: boolean;
  /** Open blocks. */
  depth: number;
  /** GNU ends a label at a semicolon, BSD at the end of the line, so the text after it may be commands or not. */
  labelled: boolean;
}

const BLANKS = /[ \t]*/y;
const REST_OF_LINE = /[^\n]*/y;
/** Up to a newline that has no backslash before it. */
const TEXT = /(?:[^\\\n]|\\[\s\S])*/y;
const READINGS: readonly Brackets[] = ["posix", "first", "escaped"];

/**
 * Commands without an argument: they change or print the pattern space, the hold space and what sed knows about the
 * input.
 */
const PLAIN = "=dDFgGhHnNpPxz";

const HANDLERS: Readonly<Record<string, (reading: Reading) => void>> = {
  "#": readComment,
  ":": readLabel,
  "{": openBlock,
  "}": closeBlock,
  a: readText,
  b: readLabel,
  c: readText,
  e: readShellCommand,
  i: readText,
  l: readNumber,
  q: readNumber,
  Q: readNumber,
  r: readInput,
  R: readInput,
  s: readSubstitution,
  t: readLabel,
  T: readLabel,
  w: readOutput,
  W: readOutput,
  y: readTransliteration,
};

export function readSed(text: string): TextReading {
  const found = { commands: [], writes: [], reads: [], runsInput: false };
  const reading: Reading = { cursor: new Cursor(text), ...found, stopped: false, depth: 0, labelled: false };
  while (!reading.stopped && skipSeparators(reading)) readCommand(reading);
  if (reading.depth !== 0) stop(reading);
  return reading;
}

function note(reading: Reading, problem: string): void {
  reading.problem ??= problem;
}

function stop(reading: Reading): void {
  note(reading, UNCLEAR);
  reading.stopped = true;
}

/** Skips separators, and reports whether another command follows. */
function skipSeparators(reading: Reading): boolean {
  const skipped = reading.cursor.take(/[ \t\n;]*/y) ?? "";
  if (skipped.includes("\n")) reading.labelled = false;
  return !reading.cursor.done;
}

function readCommand(reading: Reading): void {
  const { cursor } = reading;
  if (!readAddresses(cursor)) return stop(reading);
  const letter = cursor.next();
  if (letter !== "" && PLAIN.includes(letter)) return endCommand(reading);
  const handle = Object.hasOwn(HANDLERS, letter) ? HANDLERS[letter] : undefined;
  if (handle === undefined) stop(reading);
  else handle(reading);
}

/**
 * Reads addresses: `1`, `$`, `0~4`, `/re/I`, `\,re,`, two of them with a comma, `+3` and `~4` as the second, then
 * possibly `!`.
 */
function readAddresses(cursor: Cursor): boolean {
  const first = readAddress(cursor);
  if (first === "broken") return false;
  cursor.take(BLANKS);
  if (first === "found" && cursor.take(/,[ \t]*/y) !== undefined) {
    if (cursor.take(/[+~]\d+/y) === undefined && readAddress(cursor) !== "found") return false;
    cursor.take(BLANKS);
  }
  cursor.take(/![ \t]*/y);
  return true;
}

function readAddress(cursor: Cursor): "found" | "none" | "broken" {
  if (cursor.take(/\d+(~\d+)?|\$/y) !== undefined) return "found";
  if (cursor.here !== "/" && cursor.here !== "\\") return "none";
  if (cursor.here === "\\") cursor.next();
  if (readRegex(cursor) === undefined) return "broken";
  cursor.take(/([ \t]*[IM])*/y);
  return "found";
}

/** Reads a delimiter and the expression up to the next, and returns the delimiter. */
function readRegex(cursor: Cursor): string | undefined {
  const delimiter = cursor.next();
  if (!isDelimiter(delimiter)) return undefined;
  const end = findRegexEnd(cursor.text, cursor.at, { delimiter, readings: READINGS });
  if (end === undefined) return undefined;
  cursor.at = end + 1;
  return delimiter;
}

/**
 * Reports whether the character may be a delimiter: ASCII marks only. Letters and digits have a meaning after a
 * backslash, and sed may see only a byte of other characters.
 */
function isDelimiter(character: string): boolean {
  return /^[!-/:-@\]^_`{|}~]$/.test(character);
}

function endCommand(reading: Reading): void {
  reading.cursor.take(BLANKS);
  if (!/^[\n;}#]?$/.test(reading.cursor.here)) stop(reading);
}

function openBlock(reading: Reading): void {
  reading.depth += 1;
}

function closeBlock(reading: Reading): void {
  reading.depth -= 1;
  if (reading.depth < 0) stop(reading);
  else endCommand(reading);
}

/** Reads a comment. BusyBox continues it after a backslash. */
function readComment(reading: Reading): void {
  if (reading.cursor.take(REST_OF_LINE)?.endsWith("\\")) stop(reading);
}

function readLabel(reading: Reading): void {
  reading.cursor.take(/[ \t]*[\w.-]*[ \t]*/y);
  // For some versions `#` is part of the label, and a semicolon after it ends it.
  if (!/^[\n;}]?$/.test(reading.cursor.here)) stop(reading);
  reading.labelled = true;
}

function readNumber(reading: Reading): void {
  reading.cursor.take(/[ \t]*\d*/y);
  endCommand(reading);
}

/** Reads the text of `a\` and the next lines, `a\text` or `a text`: up to a newline without a backslash. */
function readText(reading: Reading): void {
  const { cursor } = reading;
  cursor.take(BLANKS);
  const lead = cursor.take(/\\\n?/y);
  const text = cursor.take(TEXT) ?? "";
  const continues = lead === "\\\n" || text.includes("\n");
  // Versions differ on whether an empty text, or one that begins with a second backslash, continues on the next line.
  const unclear = text.trim() === "" || /^[ \t]*\\/.test(text);
  if (unclear || (continues && reading.labelled) || cursor.here === "\\") stop(reading);
}

/** Reads the text between delimiters, where brackets have no meaning and newlines need a backslash. */
function readPlainPart(reading: Reading, delimiter: string): string | undefined {
  const { cursor } = reading;
  const start = cursor.at;
  while (!cursor.done && cursor.here !== delimiter && cursor.here !== "\n") cursor.at += cursor.here === "\\" ? 2 : 1;
  if (cursor.next() !== delimiter) return undefined;
  const part = cursor.text.slice(start, cursor.at - 1);
  return part.includes("\n") && reading.labelled ? undefined : part;
}

function readSubstitution(reading: Reading): void {
  const { cursor } = reading;
  const delimiter = readRegex(cursor);
  const replacement = delimiter === undefined ? undefined : readPlainPart(reading, delimiter);
  if (replacement === undefined) return stop(reading);
  const flags = cursor.take(/(?:[ \t]*[gpiImMe\d])*/y) ?? "";
  if (flags.includes("e")) {
    note(reading, RUNS);
    reading.commands.push(replacement.replace(/\\([\s\S])/g, "$1"));
    if (/&|\\[0-9LUEn]/.test(replacement)) reading.runsInput = true;
  }
  if (cursor.take(/[ \t]*w/y) !== undefined) readOutput(reading);
  else endCommand(reading);
}

/** Reads `y`. Some versions read brackets here as in an expression. */
function readTransliteration(reading: Reading): void {
  const { cursor } = reading;
  const delimiter = cursor.next();
  const parts = isDelimiter(delimiter) ? [1, 2].map(() => readPlainPart(reading, delimiter)) : [undefined];
  if (parts.some((part) => part === undefined || /[[\n]/.test(part))) stop(reading);
  else endCommand(reading);
}

function readOutput(reading: Reading): void {
  note(reading, WRITES);
  reading.writes.push(readFileName(reading));
}

function readInput(reading: Reading): void {
  note(reading, READS);
  reading.reads.push(readFileName(reading));
}

function readFileName({ cursor }: Reading): string {
  return cursor.take(REST_OF_LINE)?.trim() ?? "";
}

/** Reads `e`. Without a command it runs the line that was read. */
function readShellCommand(reading: Reading): void {
  note(reading, RUNS);
  const command = reading.cursor.take(TEXT)?.trim() ?? "";
  if (command === "") reading.runsInput = true;
  else reading.commands.push(command);
}
