import type { Span } from "./effect.ts";

/** Stands in `mask` for text that is only known when the command runs. No word can hold a NUL, so it can't be forged. */
export const WILD = "\0";

/** Ordered from known to unknown; a word takes the worst of its pieces. */
const SHAPES = ["literal", "glob", "variable", "substitution", "other"] as const;
export type WordShape = (typeof SHAPES)[number];

export interface Word {
  readonly span: Span;
  readonly shape: WordShape;
  /** The word after quote removal, or null when it isn't literal. */
  readonly literal: string | null;
  /** The word with each unknown stretch as `WILD`. */
  readonly mask: string;
  /** `mask` with `$HOME`, `$PWD` and what variables may hold filled in: good enough to find harm, never to prove safety. */
  readonly guess: string;
  /** Begins with an unquoted `~`. */
  readonly tilde: boolean;
  /** Surely one field: not split, not globbed away. */
  readonly single: boolean;
  /** As written, for sentences. */
  readonly text: string;
  /** Surely a decimal number. */
  readonly number: boolean;
  /** Its text comes from variables or braces, even where it is known. */
  readonly indirect: boolean;
  /** Though not known, it surely doesn't begin with a dash. */
  readonly isPath: boolean;
}

/** A word that some program adds while it runs, as `xargs` and `find -exec` do. */
export function unknownWord(span: Span): Word {
  const word = literalWord(WILD, span);
  return { ...word, shape: "variable", literal: null, single: false, text: "an operand that is only known later" };
}

/** A literal word that isn't in the source as such, as the pieces of `env -S 'a b'`. */
export function literalWord(text: string, span: Span): Word {
  return {
    span,
    shape: "literal",
    literal: text,
    mask: text,
    guess: text,
    tilde: false,
    single: true,
    text,
    number: false,
    indirect: false,
    isPath: false,
  };
}

export function worse(a: WordShape, b: WordShape): WordShape {
  return SHAPES.indexOf(a) > SHAPES.indexOf(b) ? a : b;
}

/** What a variable holds that is given this word: surely, and perhaps. `~user` is known to neither, and `~$x/` stays as it is. */
export function textOf(word: Word, home: string): { readonly known?: string; readonly guess?: string } {
  if (word.tilde && !(/^~(\/|$)/.test(word.mask) && /^~(\/|$)/.test(word.text))) return {};
  const expand = (text: string) => (word.tilde ? home + text.slice(1) : text);
  const guess = word.guess.includes(WILD) ? {} : { guess: expand(word.guess) };
  return word.literal === null ? guess : { known: expand(word.literal), ...guess };
}
