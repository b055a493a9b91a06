import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CappedOutput } from "./output.ts";

const LEFT_OUT = /\n\[… (\d+) bytes left out …\]\n/;

function capped(text: string | Buffer, maxBytes: number, chunkBytes: number): CappedOutput {
  const output = new CappedOutput(maxBytes);
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += chunkBytes) output.push(bytes.subarray(at, at + chunkBytes));
  return output;
}

test("what fits comes out as it went in, however it was cut into chunks", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 1, max: 9 }), (raw, chunkBytes) => {
      const text = raw.toWellFormed();
      const output = capped(text, Math.max(Buffer.byteLength(text) + 1, 2), chunkBytes);
      assert.deepEqual([output.toText(), output.truncated], [text, false]);
    }),
  );
});

const CHARACTERS = fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀"), minLength: 40, maxLength: 400 });

test("what doesn't fit keeps a prefix and a suffix, whole characters, and tells exactly how much is missing", () => {
  fc.assert(
    fc.property(
      CHARACTERS,
      fc.integer({ min: 16, max: 120 }),
      fc.integer({ min: 1, max: 64 }),
      (text, maxBytes, chunkBytes) => {
        fc.pre(Buffer.byteLength(text) > maxBytes);
        const output = capped(text, maxBytes, chunkBytes);
        const [head, omitted, tail] = output.toText().split(LEFT_OUT) as [string, string, string];
        const sizes = [head, tail].map((part) => Buffer.byteLength(part));
        assert.ok(output.truncated && text.startsWith(head) && text.endsWith(tail));
        assert.equal((sizes[0] ?? 0) + Number(omitted) + (sizes[1] ?? 0), Buffer.byteLength(text));
        for (const size of sizes) assert.ok(size <= maxBytes / 2 && size >= Math.floor(maxBytes / 2) - 3, `${size}`);
      },
    ),
  );
});

test("the chunks don't matter to the result", () => {
  fc.assert(
    fc.property(
      CHARACTERS,
      fc.integer({ min: 2, max: 100 }),
      fc.integer({ min: 1, max: 50 }),
      (text, maxBytes, chunk) => {
        const once = capped(text, maxBytes, 4_000);
        const often = capped(text, maxBytes, chunk);
        assert.deepEqual([often.toText(), often.truncated], [once.toText(), once.truncated]);
      },
    ),
  );
});

test("from wherever it is read, what comes is what stands there, in whole characters", () => {
  fc.assert(
    fc.property(
      CHARACTERS,
      fc.record({
        maxBytes: fc.integer({ min: 2, max: 600 }),
        from: fc.nat(1_700),
        room: fc.integer({ min: 4, max: 90 }),
      }),
      (text, { maxBytes, from, room }) => {
        const bytes = Buffer.from(text);
        const piece = capped(text, maxBytes, 7).read(Math.min(from, bytes.length), bytes.length, room);
        assert.equal(piece.text, bytes.subarray(piece.at, piece.end).toString());
        assert.ok(piece.at >= Math.min(from, bytes.length) && piece.end - piece.at <= room);
        assert.ok(piece.text !== "" || piece.end === bytes.length);
      },
    ),
  );
});

test("chunks are copied into no more memory than the cap: one that comes byte by byte costs the same", () => {
  const output = new CappedOutput(64 * 1024);
  const byte = Buffer.alloc(1);
  for (let n = 0; n < 200_000; n += 1) {
    byte.fill(0x61 + (n % 26));
    output.push(byte);
  }
  assert.equal(output.size, 64 * 1024);
  assert.match(output.toText(), /^abcdefghijkl[a-z]+\n\[… 134464 bytes left out …\]\n[a-z]+efgh$/);
});
