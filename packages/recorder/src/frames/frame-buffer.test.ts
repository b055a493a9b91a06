import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameBuffer, writeFrame } from "./frame-buffer.ts";

test("frames come out as they went in, whatever the pieces", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string(), { maxLength: 20 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      (texts, sizes) => {
        const bytes = Buffer.concat(texts.map((text) => writeFrame({ text })));
        const buffer = new FrameBuffer(1_000);
        const found: string[] = [];
        for (let at = 0; at < bytes.length; ) {
          const size = Number(sizes.next().value);
          buffer.push(bytes.subarray(at, at + size));
          at += size;
          for (let frame = buffer.take(); frame; frame = buffer.take()) found.push(frame.toString());
        }
        assert.deepEqual(
          found,
          texts.map((text) => JSON.stringify({ text })),
        );
        assert.equal(buffer.isHalf, false);
      },
    ),
  );
});

test("what is announced isn't what is held", () => {
  const buffer = new FrameBuffer(1024 * 1024);
  buffer.push(Buffer.from([0x00, 0x10, 0x00, 0x00, 0x7b]));
  assert.equal(buffer.take(), undefined);
  assert.equal(buffer.isHalf, true);
});
