import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { changedLines } from "./changed-lines.ts";

test("cuts at whole lines", () => {
  const table: [string, string, [string, string, string]][] = [
    ["a\nb\nc\n", "a\nB\nc\n", ["a\n", "B\n", "c\n"]],
    ["a\nxb\nc\n", "a\nxB\nc\n", ["a\n", "xB\n", "c\n"]],
    ["a\nb\nc\n", "a\nc\n", ["a\n", "", "c\n"]],
    ["a\nc\n", "a\nb\nc\n", ["a\n", "b\n", "c\n"]],
    ["a\na\n", "a\na\na\n", ["a\na\n", "a\n", ""]],
    ["a\nb", "a\nc", ["a\n", "c", ""]],
    ["one line", "one Line", ["", "one Line", ""]],
    ["\u{1f642}\n", "\u{1f643}\n", ["", "\u{1f643}\n", ""]],
    ["", "a\n", ["", "a\n", ""]],
    ["a\n", "", ["", "", ""]],
  ];
  for (const [before, after, [head, lines, tail]] of table) {
    assert.deepEqual(changedLines(before, after), { head, lines, tail }, JSON.stringify([before, after]));
  }
});

test("head and tail are those of both, apart, and never end inside a character", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r", "\u{1f642}", "\u{1f643}"), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { head, lines, tail } = changedLines(before, after);
      assert.equal(head + lines + tail, after);
      assert.ok(before.startsWith(head) && before.endsWith(tail) && head.length + tail.length <= before.length);
      for (const part of [head, lines, tail]) assert.ok(part.isWellFormed());
    }),
    { numRuns: 2_000 },
  );
});
