import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { encodedLength, encodeFrames, Spares, textsOf, writeFrames } from "./shared-frames.ts";

test("encodeFrames encodes each length of RFC 6455, and numbers each head", () => {
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
  assert.deepEqual(encodeFrames({ head, tails }, Buffer.alloc(encodedLength({ head, tails }))), Buffer.concat(frames));
});

test("encodeFrames writes no number without a place for it", () => {
  const frames = { head: { bytes: Buffer.alloc(0), numberAt: undefined }, tails: [Buffer.from("ü"), Buffer.from("a")] };
  assert.deepEqual(textsOf(frames), ["ü", "a"]);
});

test("writeFrames reuses a buffer once it is written", async () => {
  const spares = new Spares();
  const held: { bytes: Buffer; written: () => void }[] = [];
  const slow = new Duplex({
    read: () => undefined,
    write: (bytes, _, written) => void held.push({ bytes, written }),
  });
  const frames = (text: string) => ({
    head: { bytes: Buffer.alloc(0), numberAt: undefined },
    tails: [Buffer.from(text)],
  });
  for (const text of ["one", "two"]) writeFrames(frames(text), slow, spares);
  assert.equal(spares.free, 0);
  held[0]?.written();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(spares.free, 1);
  writeFrames(frames("six"), slow, spares);
  assert.equal(spares.free, 0);
  assert.deepEqual(
    held.map(({ bytes }) => bytes.toString("latin1", 2)),
    ["six", "two"],
  );
});
