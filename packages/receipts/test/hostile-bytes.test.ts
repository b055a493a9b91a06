// Bytes that somebody else made: each is refused by its name, and none throws, hangs or passes.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ChainVerifier,
  canonicalize,
  MAX_RECEIPT_BYTES,
  type MalformedReason,
  readReceipt,
  trustKey,
  verifyReceipt,
} from "@countersign/receipts";
import fc from "fast-check";
import { crypto, newSigner, SampleChain } from "./sample-chain.ts";

const signer = newSigner();
const { raws } = await SampleChain.of(3, signer);
const raw = raws[0] as Uint8Array;
const text = new TextDecoder().decode(raw);
const encode = (source: string) => new TextEncoder().encode(source);
const inRuntime = (member: string) => encode(text.replace('"runtime":{', `"runtime":{${member},`));

const HOSTILE: readonly (readonly [string, Uint8Array, MalformedReason])[] = [
  ["nothing", new Uint8Array(0), "EMPTY"],
  ["too much", new Uint8Array(MAX_RECEIPT_BYTES + 1).fill(0x20), "OVERSIZE"],
  ["half a receipt", raw.subarray(0, raw.length / 2), "BAD_JSON"],
  ["two receipts", encode(text + text), "BAD_JSON"],
  ["a byte order mark", encode(`\ufeff${text}`), "BAD_JSON"],
  ["no UTF-8", encode(text).with(text.indexOf("exec"), 0xff), "INVALID_UTF8"],
  ["an overlong encoding", Uint8Array.of(0x22, 0xc0, 0x80, 0x22), "INVALID_UTF8"],
  ["a surrogate in UTF-8", Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), "INVALID_UTF8"],
  ["a lone surrogate", inRuntime('"a":"\\ud83d"'), "LONE_SURROGATE"],
  ["a key twice", inRuntime('"channel":"other"'), "DUPLICATE_KEY"],
  ["a key twice, once escaped", inRuntime('"chann\\u0065l":"other"'), "DUPLICATE_KEY"],
  ["a proof twice", encode(text.replace('"proof":', '"proof":{},"proof":')), "DUPLICATE_KEY"],
  ["a number past a double", inRuntime('"a":1e400'), "NUMBER_RANGE"],
  ["a number that a double rounds", inRuntime('"a":9007199254740993'), "NUMBER_RANGE"],
  ["a deep value", inRuntime(`"a":${"[".repeat(100)}${"]".repeat(100)}`), "TOO_DEEP"],
  ["a million brackets", encode("[".repeat(1_000_000)), "TOO_DEEP"],
  ["a million deep objects", encode('{"a":'.repeat(200_000)), "TOO_DEEP"],
  ["an unknown version", encode(text.replace('"version":"0.5.0"', '"version":"0.5.1"')), "UNKNOWN_VERSION"],
  ["no version", encode(text.replace('"version":"0.5.0"', '"version":"newest"')), "UNKNOWN_VERSION"],
  ["another version's context", encode(text.replace('"version":"0.5.0"', '"version":"0.6.0"')), "WRONG_SHAPE"],
  ["a version that is none", encode(text.replace('"version":"0.5.0"', '"version":5')), "WRONG_SHAPE"],
  ["a list", encode("[]"), "WRONG_SHAPE"],
  ["null", encode("null"), "WRONG_SHAPE"],
  ["an empty object", encode("{}"), "WRONG_SHAPE"],
  ["a chain without an id", encode(text.replace('"chain_id":"chain-root"', '"chain":"x"')), "WRONG_SHAPE"],
  ["a sequence that isn't whole", encode(text.replace('"sequence":1', '"sequence":1.5')), "WRONG_SHAPE"],
  ["terminal: false", encode(text.replace('"sequence":1', '"sequence":1,"terminal":false')), "WRONG_SHAPE"],
  ["an ending that isn't one", encode(text.replace('"sequence":1', '"sequence":1,"status":"complete"')), "WRONG_SHAPE"],
  [
    "a status nobody may write",
    encode(text.replace('"sequence":1', '"sequence":1,"status":"unknown","terminal":true')),
    "WRONG_SHAPE",
  ],
];

test("every kind of hostile bytes has its name", async () => {
  for (const [name, bytes, reason] of HOSTILE) {
    const read = readReceipt(bytes);
    assert.ok(read.kind === "malformed", name);
    assert.equal(read.reason, reason, name);
    const check = await verifyReceipt(bytes, { crypto, keys: trustKey(signer.publicKey) });
    assert.ok(!check.isValid && check.fault.code === "MALFORMED_RECEIPT" && check.fault.reason === reason, name);
  }
});

test("hostile bytes spoil their own place in a chain and no other's", async () => {
  for (const [name, bytes] of HOSTILE) {
    const verifier = new ChainVerifier({ crypto, keys: trustKey(signer.publicKey) });
    for (const each of [...raws.slice(0, 2), bytes, ...raws.slice(2)]) await verifier.feed(each);
    const { fault } = await verifier.finish();
    assert.deepEqual([fault?.code, fault?.index], ["MALFORMED_RECEIPT", 2], name);
  }
});

test("a proof of ours that says what nobody signed is refused", async () => {
  const later = encode(text.replace(/"created":"2026/, '"created":"2027'));
  const read = await verifyReceipt(later, { crypto, keys: trustKey(signer.publicKey) });
  assert.ok(!read.isValid);
  assert.equal(read.fault.reason, "LOOSE_PROOF");
  const renamed = encode(
    text.replace(/"verificationMethod":"[^"]*"/, '"verificationMethod":"did:agent:someone#key-1"'),
  );
  const other = await verifyReceipt(renamed, { crypto, keys: trustKey(signer.publicKey) });
  assert.ok(!other.isValid && other.fault.code === "INVALID_SIGNATURE");
});

test("no bytes make the reader throw, and what it calls canonical is", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map(encode),
    fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 6 }), fc.nat(8)).map(([at, put, cut]) => {
      const place = at % raw.length;
      return Uint8Array.from([...raw.subarray(0, place), ...put, ...raw.subarray(place + cut)]);
    }),
  );
  fc.assert(
    fc.property(bytes, (each) => {
      const read = readReceipt(each);
      // Its canonical form, made in the slow way, is these bytes.
      if (read.kind === "receipt" && read.isCanonical)
        assert.equal(canonicalize(read.receipt), new TextDecoder().decode(each));
    }),
    { numRuns: 2_000 },
  );
});
