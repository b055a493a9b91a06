import assert from "node:assert/strict";
import { test } from "node:test";
import { IndentedText } from "./indented-text.ts";

const written = (pieces: readonly string[], width = 20) => {
  const text = new IndentedText("  ", () => width);
  return pieces.map((piece) => text.push(piece)).join("") + text.end();
};

test("every row begins behind the margin, however the text is cut and however long it is", () => {
  assert.equal(written(["hello\n"]), "  hello\r\n");
  assert.equal(written(["hel", "lo", "\n", "\n", "you"]), "  hello\r\n  \r\n  you\r\n");
  assert.equal(written(["x".repeat(30)]), `  ${"x".repeat(18)}\r\n  ${"x".repeat(12)}\r\n`);
  for (const row of written(["✓ é 漢字 ".repeat(20)])
    .split("\r\n")
    .filter(Boolean))
    assert.match(row, /^ {2}/);
});

test("what a terminal would obey is named", () => {
  assert.equal(written(["a\x1b[2J\rb\x07\n"], 80), "  a<U+001B>[2J<U+000D>b<U+0007>\r\n");
  assert.equal(written(["a\tb"], 80), "  a       b\r\n");
});
