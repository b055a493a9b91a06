/** A position in program text. Its patterns must be sticky (`y`) and linear in what they match. */
export class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** The current character, or "" at the end. */
  get here(): string {
    return this.text[this.at] ?? "";
  }

  next(): string {
    const character = this.here;
    this.at += 1;
    return character;
  }

  /** Moves past the pattern's match and returns it; undefined if it doesn't match. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}

/**
 * How a version of a tool decides whether a delimiter in brackets ends a regular expression.
 * none:    brackets mean nothing (BWK awk).
 * posix:   up to the closing bracket, which may come first, around whole classes such as `[:digit:]` (GNU).
 * first:   up to the first closing bracket that isn't the first character, classes or not (BusyBox).
 * escaped: as posix, and `\]` doesn't close (BSD).
 */
export type Brackets = "none" | "posix" | "first" | "escaped";

const CLASS = /\[:[a-z]+:\]/y;

/**
 * Returns where the expression that begins at `start` ends in all of these readings; undefined if they differ or it
 * doesn't end.
 */
export function findRegexEnd(text: string, start: number, { delimiter, readings }: RegexForm): number | undefined {
  const ends = readings.map((brackets) => scan(text, start, { delimiter, brackets }));
  return ends.every((end) => end === ends[0]) ? ends[0] : undefined;
}

interface RegexForm {
  readonly delimiter: string;
  readonly readings: readonly Brackets[];
}

function scan(
  text: string,
  start: number,
  { delimiter, brackets }: { readonly delimiter: string; readonly brackets: Brackets },
): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === delimiter) return at;
    if (character === "\n") return undefined;
    if (character === "\\") {
      at += 1;
      if (text[at] === "\n") return undefined;
    } else if (character === "[" && brackets !== "none") {
      const close = findClose(text, at + 1, brackets);
      if (close === undefined) return undefined;
      at = close;
    }
  }
  return undefined;
}

function findClose(text: string, start: number, brackets: Brackets): number | undefined {
  let at = start;
  if (text[at] === "^") at += 1;
  if (text[at] === "]") at += 1;
  for (; at < text.length && text[at] !== "\n"; at += 1) {
    if (text[at] === "]") return at;
    if (brackets === "escaped" && text[at] === "\\" && text[at + 1] === "]") at += 1;
    else if (brackets !== "first" && text[at] === "[" && /^[.:=]$/.test(text[at + 1] ?? "")) {
      CLASS.lastIndex = at;
      const found = CLASS.exec(text);
      if (found === null) return undefined;
      at += found[0].length - 1;
    }
  }
  return undefined;
}
