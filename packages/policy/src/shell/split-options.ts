import type { WordReading } from "./read-word.ts";

export interface SplitWords {
  /** The letters that were given. */
  readonly options: string;
  readonly values: readonly { readonly option: string; readonly word: WordReading }[];
  readonly operands: readonly WordReading[];
}

/** A builtin's words as bash's own getopt takes them; undefined when one isn't literal or isn't among the letters. */
export function splitOptions(
  words: readonly WordReading[],
  { flags, valued }: { readonly flags: string; readonly valued: string },
): SplitWords | undefined {
  const values: { option: string; word: WordReading }[] = [];
  let options = "";
  let next = 0;
  for (let word = words[next]; word !== undefined; word = words[next]) {
    if (word.literal === null) return word.mask.startsWith("-") || !word.single ? undefined : finish();
    if (!/^-./.test(word.literal)) return finish();
    next += 1;
    if (word.literal === "--") return finish();
    for (let at = 1; at < word.literal.length; at += 1) {
      const letter = word.literal[at] as string;
      options += letter;
      if (flags.includes(letter)) continue;
      if (!valued.includes(letter)) return undefined;
      const attached = word.literal.slice(at + 1);
      const value = attached === "" ? words[next++] : { ...word, literal: attached, mask: attached };
      if (value === undefined) return undefined;
      values.push({ option: letter, word: value });
      break;
    }
  }
  return finish();

  function finish(): SplitWords {
    return { options, values, operands: words.slice(next) };
  }
}
