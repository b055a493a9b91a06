import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromBase58, toBase58 } from "./base58.ts";
import { fromBase64, fromBase64Url, toBase64, toBase64Url, writeBase64Url } from "./base64.ts";
import { ByteSlab, fromHex, toHex } from "./bytes.ts";

const bytes = fc.uint8Array({ maxLength: 70 });

test("what is encoded reads back, and Node's encoders write the same", () => {
  fc.assert(
    fc.property(bytes, (each) => {
      assert.equal(toHex(each), Buffer.from(each).toString("hex"));
      assert.equal(toBase64(each), Buffer.from(each).toString("base64"));
      assert.equal(toBase64Url(each), Buffer.from(each).toString("base64url"));
      const text = toBase64Url(each);
      const among = Buffer.alloc(text.length + 2, ".");
      writeBase64Url(each, among, 1);
      assert.equal(among.toString(), `.${text}.`);
      assert.deepEqual(fromHex(toHex(each)), each);
      assert.deepEqual(fromBase64(toBase64(each)), each);
      assert.deepEqual(fromBase64Url(toBase64Url(each)), each);
      assert.deepEqual(fromBase58(toBase58(each)), each);
    }),
    { numRuns: 500 },
  );
});

test("bytes have one text: no other one decodes", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 70 }),
      fc.nat(),
      fc.integer({ min: 0, max: 127 }),
      (each, at, unit) => {
        for (const [encode, decode] of [
          [toBase64Url, fromBase64Url],
          [toBase64, fromBase64],
          [toHex, fromHex],
          [toBase58, fromBase58],
        ] as const) {
          const text = encode(each);
          const place = at % text.length;
          const changed = text.slice(0, place) + String.fromCharCode(unit) + text.slice(place + 1);
          const read = decode(changed);
          if (read !== null) assert.equal(encode(read), changed);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test("refuses other alphabets, paddings and lengths", () => {
  for (const text of ["a", "A===", "AB", "AA==", "A-_A=", "AA\n", "é"]) assert.equal(fromBase64Url(text), null, text);
  for (const text of ["QQ", "QR==", "QQ=", "QQ==="]) assert.equal(fromBase64(text), null, text);
  for (const text of ["0", "O", "l", "é", "z".repeat(129)]) assert.equal(fromBase58(text), null, text);
  for (const text of ["a", "AB", "0g"]) assert.equal(fromHex(text), null, text);
});

test("texts of a slab stay as they are while others follow, also where one is longer than a slab", () => {
  const slab = new ByteSlab();
  const texts = [
    "ä",
    "",
    "😀",
    "l".repeat(100_000),
    ...Array.from({ length: 3_000 }, (_, at) => `${at} – ${"z".repeat(at % 200)}`),
  ];
  const encoded = texts.map((text) => slab.encode(text));
  assert.deepEqual(
    encoded.map((bytes) => Buffer.from(bytes).toString()),
    texts,
  );
});
