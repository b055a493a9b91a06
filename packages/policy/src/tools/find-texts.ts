import type { DangerPattern } from "../catalog/dangers/index.ts";

/** The words of one command after its name, unknown stretches as `WILD`, and the text that it reads. */
export interface DangerInput {
  readonly words: readonly string[];
  readonly stdin: string | undefined;
  /** The words that say what is done, where a table knows which they are. */
  readonly subcommand: readonly string[] | undefined;
  /** Whether the program may take this long option, without its dashes, for a longer one that begins so. */
  mayAbbreviate(name: string): boolean;
}

/** Where a pattern looks for pieces of text. */
export function findTexts(kind: DangerPattern["text"], input: DangerInput): readonly string[] {
  switch (kind) {
    case undefined:
      return input.words;
    case "code":
      return findCode(input);
    case "statements":
      return findCode(input).flatMap((text) => text.split(";").map((one) => one.trim()));
  }
}

/** Plain names (`src/unlink.ts`) aren't program text. */
function findCode({ words, stdin }: DangerInput): readonly string[] {
  const code = words.filter((word) => /[\s(;`'"<{$\\]/.test(word) || /^\.\w/.test(word));
  return stdin === undefined ? code : [...code, stdin];
}
