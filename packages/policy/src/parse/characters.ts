import { type Effect, makeEffect } from "../model/index.ts";

/**
 * Characters that are invisible or change the displayed order of text (https://trojansource.codes). Tab and newline are
 * the only control characters that a command needs.
 */
const HIDDEN = [
  { id: "control", what: "a control character", test: /[\x00-\x08\x0b-\x1f\x7f-\x9f]/ },
  { id: "bidi", what: "a text direction control", test: /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/ },
  {
    id: "invisible",
    what: "an invisible character",
    test: /[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/u,
  },
  {
    id: "space",
    what: "a space that bash doesn't take for one",
    test: /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/,
  },
  // Half of a surrogate pair has no UTF-8 form, so the run text would differ from the classified one.
  { id: "surrogate", what: "half of a character", test: /\p{Surrogate}/u },
] as const;

/** Characters that need no check. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

export function scanCharacters(command: string): Effect[] {
  const found: Effect[] = [];
  if (PLAIN.test(command)) return found;
  for (const { id, what, test } of HIDDEN) {
    const pos = command.search(test);
    if (pos === -1) continue;
    const sentence = `Contains ${what} that can hide what runs`;
    found.push(makeEffect({ pos, end: pos + 1 }, { kind: "obfuscation", ruleId: `characters.${id}`, sentence }));
  }
  return found;
}

/** Reports whether a command word mixes two alphabets: `ѕudo` with a Cyrillic first letter isn't sudo. */
export function mixesAlphabets(word: string): boolean {
  return (
    !PLAIN.test(word) &&
    /[A-Za-z]/.test(word) &&
    /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(word)
  );
}

/** Letters of other alphabets by the Latin letter that they resemble (https://www.unicode.org/reports/tr39/). */
const LOOKS_LIKE = new Map(
  "aа cс dԁ eе hһ iі jј kк lӏ mм nп oо pр qԛ rг sѕ tт uи vѵ wԝ xх yу oο aα pρ tτ uυ kκ iι eε vν"
    .split(" ")
    .map(([latin = "", other = ""]): [string, string] => [other, latin]),
);

/** Returns the word as a person reads it. */
export function readAsLatin(word: string): string {
  return [...word].map((letter) => LOOKS_LIKE.get(letter) ?? letter).join("");
}
