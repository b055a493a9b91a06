import assert from "node:assert/strict";
import { test } from "node:test";
import { readLines } from "./read-lines.ts";

async function linesOf(chunks: readonly string[], maxBytes = 10): Promise<(string | null)[]> {
  const input = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk);
  })();
  const lines: (string | null)[] = [];
  for await (const some of readLines(input, maxBytes))
    lines.push(...some.map((line) => (line.kind === "whole" ? line.bytes.toString() : null)));
  return lines;
}

test("lines come out whole, however they were cut; the last needs no end", async () => {
  const text = "one\n\ntwo\nthree";
  for (let at = 0; at <= text.length; at += 1)
    assert.deepEqual(await linesOf([text.slice(0, at), text.slice(at)]), ["one", "", "two", "three"], String(at));
  assert.deepEqual(await linesOf([...text, "\n"]), ["one", "", "two", "three"]);
  assert.deepEqual(await linesOf([]), []);
  assert.deepEqual(await linesOf(["\n"]), [""]);
});

test("a line past the limit is dropped in its place, and the next one is read", async () => {
  assert.deepEqual(await linesOf(["0123456789\n"]), ["0123456789"]);
  assert.deepEqual(await linesOf(["a\n0123456789x\nb"]), ["a", null, "b"]);
  assert.deepEqual(await linesOf(["a\n01234", "56789", "01234", "\nb\n", "01234567890"]), ["a", null, "b", null]);
});
