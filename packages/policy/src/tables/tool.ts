/**
 * One program whose options are known: an allowlist, so what isn't here isn't safe.
 * `options` is a list of words: `-l` and `--all` take no value, `-n:` and `--lines:` take one, `--color?` takes one only
 * after `=`. A value marked `@` instead of `:` is a path that is read, one marked `#` a number.
 */
export interface Tool {
  readonly names: readonly string[];
  readonly options: string;
  /**
   * paths:   every operand is read.
   * pattern: the first operand is text unless one of `patternOptions` was given, the others are read.
   * text:    no operand names a file.
   * format:  the first operand is a printf format, all the rest text.
   * none:    any operand changes what the tool does.
   */
  readonly operands: "paths" | "pattern" | "text" | "format" | "none";
  readonly patternOptions?: readonly string[];
  /** More operands than this write files (`uniq in out`). */
  readonly maxOperands?: number;
  /** Every operand must look like this (`date +%F`). */
  readonly operandForm?: string;
  /** No option that exists, known or not, can write or run anything: words that may turn into options are harmless. */
  readonly inert?: true;
  /** Shows names, sizes and dates, never contents. */
  readonly namesOnly?: true;
  /** Words are never options (`echo`). */
  readonly noOptions?: true;
  /** Stops looking for options at the first operand. */
  readonly optionsFirst?: true;
  /**
   * How short options join in one word, where it isn't as getopt does it.
   * none:  never, each is a whole word (`xxd -ps` isn't `-p -s`).
   * flags: only those without a value: `tree -Io x y` gives I the word x and o the word y.
   */
  readonly clusters?: "none" | "flags";
  /** `@file` stands for the words in that file. */
  readonly responseFiles?: true;
  /** These options make it follow links, which may lead out of the workspace. */
  readonly follows?: readonly string[];
  /** `-5` is a number of lines. */
  readonly dashNumber?: true;
  /** These options make it go into directories; `"*"`: it always does. */
  readonly recursive?: readonly string[];
  /** Goes into the working directory when it has no operand. */
  readonly readsCwd?: true;
  /** Shows the environment or other processes: harmless only where a jail cleaned them. */
  readonly reliesOnJail?: true;
  readonly examples: { readonly safe: readonly string[]; readonly notSafe: readonly string[] };
}
