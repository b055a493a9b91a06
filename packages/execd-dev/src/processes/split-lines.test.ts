import assert from "node:assert/strict";
import { test } from "node:test";
import { LineSplitter } from "./split-lines.ts";

function split(chunks: readonly (string | Buffer)[], maxLineBytes = 1_000): string[] {
  const told: string[] = [];
  const splitter = new LineSplitter(maxLineBytes, (text) => told.push(text));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk as string));
  splitter.flush();
  return told;
}

test("output in the pieces that execd sends", () => {
  assert.deepEqual(split(["one\ntwo"]), ["one", "two"]);
  assert.deepEqual(split(["on", "e\n"]), ["one"]);
  assert.deepEqual(split(["a\r\nb\r", "\nc\rd"]), ["a", "b", "c", "d"]);
  assert.deepEqual(split(["\n\na\n\n"]), ["\n", "\n", "a", "\n"]);
  const euro = Buffer.from("€");
  assert.deepEqual(split([euro.subarray(0, 1), euro.subarray(1)]), ["€"]);
  assert.deepEqual(split([Buffer.from([0x61, 0xff, 0x62])]), ["a\ufffdb"]);
  assert.deepEqual(split(["abcdef", "ghi"], 4), ["abcdef", "ghi"]);
});
