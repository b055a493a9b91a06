import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutProse } from "./cut-prose.ts";

const text = (words: string) => ({ kind: "text", text: words });
const code = (words: string) => ({ kind: "code", text: words });

test("cutProse separates code blocks from text", () => {
  const table: [string, object[]][] = [
    ["", []],
    ["hello", [text("hello")]],
    ["one\n\n```ts\nconst a = 1;\n```\n\ntwo", [text("one"), code("const a = 1;"), text("two")]],
    ["```\nnot closed", [code("not closed")]],
    ["````\n```\ninner\n```\n````", [code("```\ninner\n```")]],
    ["~~~\na\n```\n~~~\nb", [code("a\n```"), text("b")]],
    ["`inline` and ```three``` stay", [text("`inline` and ```three``` stay")]],
    ["```\n\n```", [code("")]],
  ];
  for (const [given, wanted] of table) assert.deepEqual(cutProse(given), wanted, JSON.stringify(given));
});

test("cutProse loses no text", () => {
  const piece = fc.constantFrom("```", "~~~", "\n", "a", " b ", "````", "x`y", "\n```\n");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const letters = (words: string) => words.replaceAll(/[^aby]/g, "");
      const given = pieces.join("");
      // A word after a fence names the language, and isn't shown.
      const said = given.replaceAll(/^ {0,3}(?:`{3,}|~{3,})[^`\n]*$/gm, "");
      const shown = cutProse(given)
        .map((part) => part.text)
        .join("");
      assert.ok(letters(shown).length >= letters(said).length);
    }),
  );
});
