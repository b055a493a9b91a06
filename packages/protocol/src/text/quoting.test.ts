import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { quoteWord, quoteWords } from "./quoting.ts";

test("plain words stay readable", () => {
  assert.equal(quoteWords(["npm", "run", "test:unit", "--", "a/b.ts", "-v"]), "npm run test:unit -- a/b.ts -v");
});

test("quotes what bash would read as its own", () => {
  const table: [string[], string][] = [
    [["echo", ""], "echo ''"],
    [["echo", "it's"], `echo 'it'\\''s'`],
    [["A=1", "ls"], "'A=1' ls"],
    [["time", "ls"], "'time' ls"],
    [["ls", "time"], "ls time"],
    [["~", "{a,b}", "*"], "'~' '{a,b}' '*'"],
    [["%1"], "'%1'"],
  ];
  for (const [words, line] of table) assert.equal(quoteWords(words), line);
});

test("real bash reads back exactly the words", () => {
  const piece = fc.constantFrom(
    "a",
    " ",
    "'",
    '"',
    "\\",
    "$(id)",
    "`id`",
    "\n",
    "\t",
    "!",
    "*",
    "~",
    "#",
    "=",
    ";",
    "&",
    "|",
    "é",
    "-",
    "{a,b}",
    "<",
    ">",
    "$'\\n'",
  );
  const word = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.array(word, { minLength: 50, maxLength: 60 }), (words) => {
      const script = quoteWords(["printf", "%s\\0", ...words]);
      const out = execFileSync("/bin/bash", ["--noprofile", "--norc", "-c", script], { encoding: "utf8" });
      assert.deepEqual(out.split("\0").slice(0, -1), words);
    }),
    { numRuns: 20 },
  );
});

/** What bash writes for the word, as bytes. */
function readBack(words: readonly string[]): string[] {
  const script = `printf '%s\\0' ${words.map(quoteWord).join(" ")}`;
  const options = { encoding: "utf8", env: { LC_ALL: "C.UTF-8" } } as const;
  return execFileSync("/bin/bash", ["--noprofile", "--norc", "-c", script], options).split("\0").slice(0, -1);
}

test("real bash reads back every character there is, alone and beside a quote", () => {
  const all = Array.from({ length: 0x900 }, (_, point) => String.fromCodePoint(point)).slice(1);
  const words = all.flatMap((character) => [character, `'${character}'`]);
  assert.deepEqual(readBack(words), words);
});

test("real bash reads back what is made to end the word", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "'",
      "'\\''",
      '"',
      "\\",
      "\\\n",
      "\r\n",
      "$(id)",
      "`id`",
      "${x}",
      "!!",
      "$'\\''",
      "\u{1f642}",
      "\ufeff",
    ),
    fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
  );
  const word = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.array(word, { minLength: 40, maxLength: 60 }), (words) => {
      assert.deepEqual(readBack(words), words);
    }),
    { numRuns: 30 },
  );
});
