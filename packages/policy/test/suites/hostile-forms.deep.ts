import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createContext, runInContext } from "node:vm";
import { DANGER_PATTERNS } from "../../src/catalog/dangers/danger-patterns.ts";

const LENGTH = 40_000;
/** A linear form needs some thousandths of a second for such a word; one whose time grows with the square needs many seconds. */
const TIMEOUT_MS = 2_000;
const PIECES = [
  ..."a0-/.:=,@ \t\n'\"`|&;(){}[]$\\!~+%<>#*",
  "aa",
  "a ",
  "a/",
  "-a",
  "a=",
  "a,",
  "ab:",
  "://",
  "=@",
  "ugo",
  "rwx",
];

/** What the form itself looks for, over and over, in the ways in which it may nearly match. */
function hostilePieces(form: string): readonly string[] {
  const names = new Set(form.match(/[A-Za-z_]{2,}/g) ?? []);
  return [...names].flatMap((name) => [
    name,
    `${name} `,
    `${name}(`,
    ` ${name} `,
    `${name}/`,
    `-${name}`,
    `${name}=`,
    `${name}\n`,
  ]);
}

describe("the forms of dangerous patterns end on hostile words", () => {
  for (const pattern of DANGER_PATTERNS) {
    const forms = [pattern.form, pattern.and?.form, pattern.unless?.form].filter((form) => form !== undefined);
    if (forms.length === 0) continue;
    it(pattern.id, () => {
      for (const form of forms) {
        const words = [...PIECES, ...hostilePieces(form)].flatMap((piece) => {
          const long = piece.repeat(LENGTH / piece.length);
          return [long, `-${long}`, `a=${long}`];
        });
        const context = createContext({ form: new RegExp(form), word: "" });
        for (const word of words) {
          context.word = word;
          assert.equal(typeof runInContext("form.test(word)", context, { timeout: TIMEOUT_MS }), "boolean");
        }
      }
    });
  }
});
