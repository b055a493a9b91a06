import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fileDiff } from "./file-diff.ts";

test("shows what changes, and how the ends differ", () => {
  const table: [string, string, string][] = [
    ["", "a\nb\n", "+a\n+b"],
    ["", "a", "+a\n\\ No newline at end of file"],
    ["a\n", "", "@@ -1,1 +0,0 @@\n-a"],
    ["a\r\n", "a\n", "@@ -1,1 +1,1 @@\n-a<U+000D>\n+a"],
    ["a\n", "a", "@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file"],
    ["a\n", "a\n", "\\ Nothing changes"],
    ["1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nsix\n", "@@ -3,4 +3,4 @@\n 3\n 4\n 5\n-6\n+six"],
  ];
  for (const [before, after, diff] of table) assert.equal(fileDiff(before, after), diff);
});

test("secrets don't show, also when they are all that changes", () => {
  const secret = (letter: string) => `const key = "sk-ant-${letter.repeat(40)}";\n`;
  assert.equal(fileDiff(secret("a"), secret("b")), "\\ Only what is redacted changes");
  assert.doesNotMatch(fileDiff("x\n", secret("k")), /kkk/);
});

test("what is huge stays small and quick, and says what is left out", () => {
  const many = (letter: string) => Array.from({ length: 20_000 }, (_, index) => `${letter}${index}`).join("\n");
  const replaced = fileDiff(many("a"), many("b")).split("\n");
  assert.equal(replaced[0], "\\ Too much changes to be compared: every old line goes, and these come");
  assert.equal(replaced.length, 401);
  assert.match(replaced.at(-1) ?? "", /^\\ \d+ more lines$/);
  const [line = "", more] = fileDiff("", "x".repeat(60_000)).split("\n");
  assert.deepEqual([line.length, more], [1_000, "\\ 59001 more characters in this line"]);
  assert.ok(fileDiff("", "\u202e\n".repeat(60_000)).length < 33_000);
});

test("no text can draw a line of ours, nor anything that a terminal obeys", () => {
  const unit = fc.constantFrom(
    "a",
    "\n",
    "\r",
    "\\",
    "@",
    "+",
    "-",
    " ",
    "\x1b",
    "\u2028",
    "\u202e",
    "\t",
    "\u{1f642}",
    "\ud800",
  );
  const text = fc.string({ unit, maxLength: 60 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      for (const line of fileDiff(before, after).split("\n")) {
        assert.match(line, /^(?:[ +-]|@@ -\d+,\d+ \+\d+,\d+ @@$|\\ [A-Z0-9])/);
        assert.doesNotMatch(line, /[\r\x1b\u2028\u202e\ud800-\udfff]/u);
      }
    }),
    { numRuns: 500 },
  );
});
