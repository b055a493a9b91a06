import { isMixed } from "./values.ts";

/**
 * One kind of secret. `head` decides whether there is one: it starts at an anchor, stays on its line and is no longer
 * than a window (`WINDOW`), so that the answer is the same however the text arrives. What follows in the class `tail`
 * belongs to the secret, at any length.
 *
 * Groups of `head`: `keep` stays readable; so does `soft` in a command, where it may be a word of its own; `value` is
 * what `accept` looks at; `rest` stands behind the secret and stays.
 */
export interface Rule {
  readonly id: string;
  /** A literal beginning of every match, in lower case unless `exact`. At least three characters. */
  readonly anchors: readonly string[];
  /** Upper and lower case differ. */
  readonly exact?: true;
  readonly head: string;
  /** What must stand behind the anchor: one look for all rules with this gate. Then the head begins behind it. */
  readonly gate?: string;
  /** The characters that a head behind a gate may begin with. */
  readonly first?: string;
  /** A class of characters, such as `[a-z]`. */
  readonly tail?: string;
  /** The secret is a block that ends with a line of this form; `tail` is what may stand in it. */
  readonly endLine?: string;
  readonly accept?: (value: string) => boolean;
  /** Texts in which what stands between « and » is redacted. */
  readonly finds: readonly string[];
  /** Texts that stay as they are. */
  readonly misses: readonly string[];
}

/** How far behind an anchor a head may look. */
export const WINDOW = 2_048;
/** How far before it. */
export const LOOK_BACK = 64;

/** A key with a prefix of its own: at least `least` characters of a class behind it. */
export function prefixed(
  id: string,
  prefixes: string | readonly string[],
  { least, of = WORD, alone = false, misses = [] }: Prefixed,
): Rule {
  const anchors = [prefixes].flat();
  const body = sample(of, least);
  return {
    id,
    anchors,
    exact: true,
    head: `${alone ? NOT_IN_A_WORD : ""}(?:${anchors.map(escapeRegExp).join("|")})(?<value>${of}{${least}})`,
    tail: of,
    // With such a class a long name in snake case would do.
    ...(/[_.-]\]$/.test(of) ? { accept: isMixed } : {}),
    finds: anchors.flatMap((prefix) => [
      `«${prefix}${body}»`,
      `x «${prefix}${body}${body}» y`,
      `\\n«${prefix}${body}»"`,
    ]),
    misses: [`${anchors[0]}${body.slice(1)}`, `${anchors[0]}`, ...misses],
  };
}

interface Prefixed {
  readonly least: number;
  readonly of?: string;
  /** The prefix is too common to be looked for inside of words. */
  readonly alone?: boolean;
  readonly misses?: readonly string[];
}

/** The `n` of an escaped newline isn't part of the word behind it. */
export const NOT_IN_A_WORD = "(?<!(?<!\\\\)[A-Za-z0-9])";
export const WORD = "[A-Za-z0-9_-]";
export const ALNUM = "[A-Za-z0-9]";
export const HEX = "[0-9a-f]";
export const BASE64 = "[A-Za-z0-9+/=_-]";

/** Characters of a class that no reader would take for anybody's key. */
export function sample(of: string, length: number): string {
  const one = new RegExp(of);
  const all = [..."a1B2c3D4e5F6"].filter((character) => one.test(character)).join("");
  return all.repeat(Math.ceil(length / all.length)).slice(0, length);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
