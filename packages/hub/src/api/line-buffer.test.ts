import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LineBuffer } from "./line-buffer.ts";

test("LineBuffer returns complete lines for any chunking", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "é"), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (whole, sizes) => {
      const bytes = Buffer.from(whole);
      const buffer = new LineBuffer();
      const lines: Buffer[] = [];
      for (let at = 0, n = 0; at < bytes.length; n += 1) {
        const size = sizes[n % sizes.length] ?? 1;
        buffer.push(bytes.subarray(at, at + size));
        at += size;
        if (n % 2 === 0) for (let line = buffer.take(); line; line = buffer.take()) lines.push(line);
      }
      for (let line = buffer.take(); line; line = buffer.take()) lines.push(line);
      const expected = whole.split("\n");
      const rest = expected.pop() ?? "";
      assert.deepEqual([lines.map(String), buffer.size], [expected, Buffer.byteLength(rest)]);
    }),
  );
});

test("LineBuffer takes linear time for single bytes", () => {
  const buffer = new LineBuffer();
  for (let n = 0; n < 1_000_000; n += 1) {
    buffer.push(Buffer.from("x"));
    assert.equal(buffer.take(), undefined);
  }
  buffer.push(Buffer.from("\n"));
  assert.equal(buffer.take()?.length, 1_000_000);
});
