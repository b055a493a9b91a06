import { basename, type Part } from "../model/index.ts";
import { type Glob, matchGlob } from "../paths/index.ts";
import { SANDBOX_CALL_PREFIX, USER_FACT, userWords } from "./sandbox-call.ts";
import { TOOL_CALL_PREFIX } from "./tool-call.ts";

/** A word of a pattern: text with `*` as gaps, or `**` for any number of words. */
type PatternWord = Glob | "**";
export type Pattern = readonly PatternWord[];

/**
 * Compiles a pattern. White space separates words; a backslash makes the next character literal, so `\*` is a star and
 * `\ ` a space. There is no other quoting.
 */
export function compilePattern(pattern: string): Pattern {
  return divide(pattern).map(compileWord);
}

/**
 * Reports whether an allow entry's pattern matches the part. The program must be on the trusted PATH, under any of its
 * names.
 */
export function matchesAllowed(pattern: Pattern, part: Part): boolean {
  if (part.elsewhere || (part.program === undefined && !part.toolCall)) return false;
  if (!namesUser(pattern, part)) return false;
  return matchesCommandWord(pattern, part) && matchWords(pattern.slice(1), part.words.slice(1));
}

/**
 * Reports whether the pattern names the same user as the call: wildcards don't match users, because another user may
 * have more rights.
 */
function namesUser(pattern: Pattern, part: Part): boolean {
  if (!part.toolCall || !isForSandboxes(pattern)) return true;
  const named = pattern.map(literalOf).filter((word): word is string => word !== undefined && USER_FACT.test(word));
  return named.join(" ") === userWords(part.words).join(" ");
}

/** Reports whether the pattern matches, even if the program isn't known, by the last component of its name. */
export function matchesNamed(pattern: Pattern, part: Part): boolean {
  return matchesCommandWord(pattern, part) && matchWords(pattern.slice(1), part.words.slice(1));
}

/** Escapes a literal word for use in a pattern. */
export function escapePatternWord(word: string): string {
  return word.replace(/[\\*\s]/g, (character) => `\\${character}`);
}

/** Returns the pattern's first word if it has no wildcard, for indexing. */
export function firstLiteral(pattern: Pattern): string | undefined {
  return pattern[0] === undefined ? undefined : literalOf(pattern[0]);
}

/** Returns the text of a pattern's word if it has no wildcard. */
export function literalOf(word: Pattern[number]): string | undefined {
  return word !== "**" && word.length === 1 ? word[0] : undefined;
}

/** Returns the names by which that index finds a part. */
export function namesOf(part: Part): string[] {
  const head = part.words[0];
  if (head === undefined || head === null) return [];
  if (part.toolCall) return [head];
  return [...new Set([head, basename(head), part.program ?? head])];
}

/** Reports whether the pattern begins with `mcp:` or `sandbox:`: such patterns match only such calls. */
export function isForToolCalls(pattern: Pattern): boolean {
  const [first] = pattern;
  return first !== undefined && first !== "**" && isCallHead(first[0] ?? "");
}

export function isForSandboxes([first]: Pattern): boolean {
  return first !== undefined && first !== "**" && first[0]?.startsWith(SANDBOX_CALL_PREFIX) === true;
}

function isCallHead(word: string): boolean {
  return word.startsWith(TOOL_CALL_PREFIX) || word.startsWith(SANDBOX_CALL_PREFIX);
}

export function matchesCommandWord(pattern: Pattern, part: Part): boolean {
  const first = pattern[0];
  const head = part.words[0];
  if (first === undefined || head === undefined || head === null) return false;
  // Tools and programs never match each other, even if their names are equal.
  if (isForToolCalls(pattern) !== (part.toolCall === true)) return false;
  return first === "**" || namesOf(part).some((name) => matchGlob(first, name));
}

/** Matches the runs of words between `**` from left to right, the first at the start and the last at the end. */
export function matchWords(pattern: Pattern, words: readonly (string | null)[]): boolean {
  const runs: Glob[][] = [[]];
  for (const word of pattern) {
    if (word === "**") runs.push([]);
    else runs.at(-1)?.push(word);
  }
  const first = runs[0] ?? [];
  if (runs.length === 1) return words.length === first.length && fitsAt(first, words, 0);
  const last = runs.at(-1) ?? [];
  if (words.length < first.length + last.length || !fitsAt(first, words, 0)) return false;
  const end = words.length - last.length;
  if (!fitsAt(last, words, end)) return false;
  let from = first.length;
  for (const run of runs.slice(1, -1)) {
    while (from + run.length <= end && !fitsAt(run, words, from)) from += 1;
    if (from + run.length > end) return false;
    from += run.length;
  }
  return true;
}

/** Matches a run at one position. A word that isn't literal matches only a wildcard. */
function fitsAt(run: readonly Glob[], words: readonly (string | null)[], at: number): boolean {
  return run.every((glob, index) => {
    const word = words[at + index];
    if (word === null || word === undefined)
      return word === null && glob.length > 1 && glob.every((text) => text === "");
    return matchGlob(glob, word);
  });
}

/** Splits at unescaped white space; `compileWord` handles the escapes. */
function divide(pattern: string): string[] {
  return pattern.match(/(?:\\[\s\S]|[^\s\\]|\\$)+/g) ?? [];
}

function compileWord(word: string): PatternWord {
  if (word === "**") return "**";
  const pieces = [""];
  for (let index = 0; index < word.length; index += 1) {
    const character = word[index] as string;
    if (character === "*") {
      pieces.push("");
      continue;
    }
    if (character === "\\" && index + 1 < word.length) index += 1;
    pieces[pieces.length - 1] += word[index] as string;
  }
  return pieces;
}

/** A word that only a wildcard matches. */
const ANY = "\u0001";
/** Most `**` that are tried; each as none, one and two words. */
const MAX_OPEN = 4;

/** Reports whether `wide` matches everything that `narrow` matches, judged by examples. */
export function subsumes(wide: Pattern, narrow: Pattern): boolean {
  if (narrow.filter((word) => word === "**").length > MAX_OPEN) return false;
  return instances(narrow).every((words) => matchesNamed(wide, partOf(words)));
}

function instances(pattern: Pattern): string[][] {
  let found: string[][] = [[]];
  for (const word of pattern) {
    const forms = word === "**" ? [[], [ANY], [ANY, ANY]] : [[word.join(ANY)]];
    found = found.flatMap((words) => forms.map((form) => [...words, ...form]));
  }
  return found.filter((words) => words.length > 0);
}

function partOf(words: readonly string[]): Part {
  const toolCall = isCallHead(words[0] ?? "") ? ({ toolCall: true } as const) : {};
  return { span: { pos: 0, end: 0 }, words, builtin: false, effects: [], ...toolCall };
}
