import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeFrames, Spare, textsOf } from "./shared-frames.ts";

test("encodes each length as RFC 6455 has it, with a number of its own in each head", () => {
  const head = { bytes: Buffer.from('{"id":"0000"'), numberAt: 7 };
  const tails = [0, 113, 114, 65_523, 65_524].map((length) => Buffer.alloc(length, "x"));
  const texts = textsOf({ head, tails });
  assert.deepEqual(
    texts.map((text) => text.slice(0, 12)),
    ["0000", "0001", "0002", "0003", "0004"].map((number) => `{"id":"${number}"`),
  );
  const headers = [[12], [125], [126, 0, 126], [126, 0xff, 0xff], [127, 0, 0, 0, 0, 0, 1, 0, 0]];
  const frames = texts.map((text, index) =>
    Buffer.concat([Buffer.from([0x81, ...(headers[index] ?? [])]), Buffer.from(text)]),
  );
  assert.deepEqual(encodeFrames({ head, tails }, new Spare()), Buffer.concat(frames));
});

test("writes no number where there is no place for one", () => {
  const frames = { head: { bytes: Buffer.alloc(0), numberAt: undefined }, tails: [Buffer.from("ü"), Buffer.from("a")] };
  assert.deepEqual(textsOf(frames), ["ü", "a"]);
});
