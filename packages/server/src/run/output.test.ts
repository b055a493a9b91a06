import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { filterSecrets } from "../secrets/filter-secrets.ts";
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

test("what doesn't fit keeps a prefix and a suffix, whole words, and tells exactly how much is missing", () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é", "漢"), minLength: 1, maxLength: 12 }), {
    minLength: 40,
    maxLength: 120,
  });
  fc.assert(
    fc.property(
      words,
      fc.integer({ min: 16, max: 120 }),
      fc.integer({ min: 1, max: 64 }),
      (list, maxBytes, chunkBytes) => {
        const text = list.join(" ");
        fc.pre(Buffer.byteLength(text) > maxBytes);
        const output = capped(text, maxBytes, chunkBytes);
        const [head, omitted, tail] = output.toText().split(LEFT_OUT) as [string, string, string];
        assert.ok(output.truncated && text.startsWith(head) && text.endsWith(tail));
        assert.equal(Buffer.byteLength(head) + Number(omitted) + Buffer.byteLength(tail), Buffer.byteLength(text));
        assert.ok(Buffer.byteLength(head) + Buffer.byteLength(tail) <= maxBytes);
        assert.ok(head === "" || head.endsWith(" "));
        assert.ok(tail === "" || /^ $/.test(text.at(-tail.length - 1) ?? ""));
      },
    ),
  );
});

test("the chunks don't matter to the result", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 400 }),
      fc.integer({ min: 2, max: 100 }),
      fc.integer({ min: 1, max: 50 }),
      (bytes, maxBytes, chunkBytes) => {
        const once = capped(Buffer.from(bytes), maxBytes, 400);
        const often = capped(Buffer.from(bytes), maxBytes, chunkBytes);
        assert.deepEqual([often.toText(), often.truncated], [once.toText(), once.truncated]);
      },
    ),
  );
});

test("wherever the cut falls, no part of a secret is left that the filter wouldn't find", () => {
  const secrets = [
    "sk-ant-SSSSSSSSSSSSSSSSSSSSSSSSSSSS",
    "Bearer SSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSS",
    "-H=Bearer SSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSS",
    "bearer SSSSSSSSSSSSSSSSSSSSSSSS",
    "OPENAI_API_KEY=SSSSSSSSSSSSSSSSSSSSSSSSSS",
  ];
  for (const secret of secrets) {
    for (let shift = 0; shift < 120; shift += 1) {
      const text = `${"x".repeat(shift)} ${`${secret} ab,\n`.repeat(40)}${"y".repeat(shift)}`;
      assert.doesNotMatch(filterSecrets(capped(text, 400, 64).toText()), /SS/, `${secret.slice(0, 8)} at ${shift}`);
    }
  }
});

test("a stream without white space loses what stands near the cut", () => {
  const output = capped("z".repeat(100_000), 20_000, 1_000);
  const [head, omitted, tail] = output.toText().split(LEFT_OUT) as [string, string, string];
  assert.deepEqual([head.length, Number(omitted), tail.length], [5_904, 88_192, 5_904]);
});

test("a stream that comes byte by byte costs no more memory than one that comes at once", () => {
  const output = new CappedOutput(1024 * 1024);
  const before = bytesInUse();
  for (let n = 0; n < 1_000_000; n += 1) output.push(Buffer.allocUnsafeSlow(1).fill(n % 50 === 0 ? 0x0a : 0x61));
  const grown = bytesInUse() - before;
  assert.equal(output.truncated, false);
  assert.ok(grown < 8 * 1024 * 1024, `${grown} bytes more`);
});

/** Of what is kept, not of what waits to be collected. */
function bytesInUse(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
