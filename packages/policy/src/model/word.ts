import type { Span } from "./effect.ts";

/**
 * Marks text in `mask` that is only known when the command runs. A word can't contain NUL, so the mark can't be forged.
 */
export const WILD = "\0";

/** Ordered from known to unknown; a word has the worst shape of its parts. */
const SHAPES = ["literal", "glob", "variable", "substitution", "other"] as const;
export type WordShape = (typeof SHAPES)[number];

export interface Word {
  readonly span: Span;
  readonly shape: WordShape;
  /** The word after quote removal; null if it isn't literal. */
  readonly literal: string | null;
  /** The word with `WILD` for each unknown part. */
  readonly mask: string;
  /**
   * `mask` with `$HOME`, `$PWD` and possible values of variables filled in. Good enough to find harm, never to prove
   * safety.
   */
  readonly guess: string;
  /** Begins with an unquoted `~`. */
  readonly tilde: boolean;
  /** Certainly one field: neither split nor removed by a glob. */
  readonly single: boolean;
  /** The source text, for sentences. */
  readonly text: string;
  /** Certainly a decimal number. */
  readonly number: boolean;
  /** Its text comes from variables or braces, even if it is known. */
  readonly indirect: boolean;
  /** Not literal, but certainly not an option: it can't begin with a dash. */
  readonly isPath: boolean;
}

/** Returns a word that a program adds while it runs, as `xargs` and `find -exec` do. */
export function unknownWord(span: Span): Word {
  const word = literalWord(WILD, span);
  return { ...word, shape: "variable", literal: null, single: false, text: "an operand that is only known later" };
}

/** Returns a literal word that isn't in the source as such, like the parts of `env -S 'a b'`. */
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

/**
 * Returns the value of a variable that is set to this word, as certain (`known`) and as likely (`guess`). `~user` has
 * neither; `~$x/` isn't expanded.
 */
export function textOf(word: Word, home: string): { readonly known?: string; readonly guess?: string } {
  if (word.tilde && !(/^~(\/|$)/.test(word.mask) && /^~(\/|$)/.test(word.text))) return {};
  const expand = (text: string) => (word.tilde ? home + text.slice(1) : text);
  const guess = word.guess.includes(WILD) ? {} : { guess: expand(word.guess) };
  return word.literal === null ? guess : { known: expand(word.literal), ...guess };
}
