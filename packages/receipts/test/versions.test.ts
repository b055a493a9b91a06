// Vectors that openssl signed: testdata/make-v060.py.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  ChainVerifier,
  createReceipt,
  hashReceipt,
  publicKeyFromPem,
  type ReceiptDraft,
  ReceiptError,
  readReceipt,
  trustKey,
  verifyReceipt,
} from "@countersign/receipts";
import { crypto, draftOf, SampleChain } from "./sample-chain.ts";

interface Vector {
  readonly receipt: { readonly version: string; readonly proof: object };
  readonly hash: string;
}

const vectors = JSON.parse(readFileSync(new URL("./testdata/v060.json", import.meta.url), "utf8"));
const keys = trustKey(publicKeyFromPem(vectors.publicKey) as Uint8Array);
const bytesOf = (receipt: object) => Buffer.from(JSON.stringify(receipt));

async function chainFault(receipts: readonly object[]) {
  const verifier = new ChainVerifier({ crypto, keys });
  for (const receipt of receipts) await verifier.feed(bytesOf(receipt));
  const { fault, isWhole, count } = await verifier.finish();
  return { fault, isWhole, count };
}

test("receipts of all seven versions verify, alone and in one chain", async () => {
  const seen = new Set<string>();
  for (const { receipt, hash } of vectors.versions as readonly Vector[]) {
    const { proof: _, ...unsigned } = receipt;
    assert.equal(hashReceipt(unsigned, crypto), hash, receipt.version);
    assert.equal((await verifyReceipt(bytesOf(receipt), { crypto, keys })).isValid, true, receipt.version);
    seen.add(receipt.version);
  }
  assert.deepEqual([...seen], ["0.1.0", "0.2.0", "0.2.1", "0.3.0", "0.4.0", "0.5.0", "0.6.0"]);
  assert.deepEqual(await chainFault(vectors.chain), { fault: null, isWhole: true, count: 7 });
});

test("a changed disclosure of a response is INVALID_SIGNATURE", async () => {
  const disclosed = (vectors.versions as readonly Vector[]).at(-1)?.receipt as object;
  const changed = Buffer.from(JSON.stringify(disclosed).replace(`"ct":"BB`, `"ct":"CB`));
  const check = await verifyReceipt(changed, { crypto, keys });
  assert.equal(check.isValid ? null : check.fault.code, "INVALID_SIGNATURE");
});

test("a version under another's context, or of no known form, is malformed", () => {
  const found = Object.entries<object>(vectors.malformed).map(([name, receipt]) => {
    const read = readReceipt(bytesOf(receipt));
    return [name, read.kind === "malformed" ? `${read.reason} ${read.at}` : read.kind];
  });
  assert.deepEqual(Object.fromEntries(found), {
    "0.6.0 under v2": "WRONG_SHAPE .@context",
    "0.5.0 under v3": "WRONG_SHAPE .@context",
    "a disclosure that is a text": "WRONG_SHAPE .credentialSubject.outcome.response_disclosure",
    "a version that never was": "UNKNOWN_VERSION .version",
    "no version": "UNKNOWN_VERSION .version",
  });
});

test("a newer receipt is NEWER_VERSION, with what could be checked", async () => {
  for (const { receipt } of vectors.newer as readonly Vector[]) {
    const { version } = receipt;
    const check = await verifyReceipt(bytesOf(receipt), { crypto, keys });
    const fault = check.isValid ? null : check.fault;
    assert.deepEqual([fault?.code, fault?.reason], ["NEWER_VERSION", undefined], version);
    assert.equal(fault?.detail, `of version ${version}; by the rules of 0.6.0 its signature and its place hold`);
    const changed = Buffer.from(JSON.stringify(receipt).replace("did:user:ann", "did:user:bob"));
    const other = await verifyReceipt(changed, { crypto, keys });
    const found = other.isValid ? null : other.fault;
    assert.equal(found?.code, "INVALID_SIGNATURE", version);
    assert.match(found?.detail ?? "", /; by the rules of 0\.6\.0, and it is of version \d/);
    const shaped = await verifyReceipt(bytesOf({ ...receipt, issuer: "x" }), { crypto, keys });
    assert.match(shaped.isValid ? "" : shaped.fault.detail, /by the rules of 0\.6\.0 it has another form \(\.issuer\)/);
    const { code, reason } = shaped.isValid ? {} : shaped.fault;
    assert.deepEqual([code, reason], ["NEWER_VERSION", "NEWER_VERSION"], version);
  }
});

test("a chain with newer receipts is looked at to its end, and a fault behind them is told first", async () => {
  const chain: readonly object[] = vectors.newerChain;
  const { fault, isWhole, count } = await chainFault(chain);
  assert.deepEqual([isWhole, count, fault?.code, fault?.index], [false, 4, "NEWER_VERSION", 1]);
  assert.match(fault?.detail ?? "", /^of version 0\.7\.0, the first of 2 newer ones; /);
  const last = JSON.parse(JSON.stringify(chain[3]).replace("did:user:ann", "did:user:bob"));
  const changed = await chainFault([...chain.slice(0, 3), last]);
  assert.deepEqual([changed.fault?.code, changed.fault?.index], ["INVALID_SIGNATURE", 3]);
  const missing = await chainFault([chain[0] as object, chain[2] as object]);
  assert.deepEqual([missing.fault?.code, missing.fault?.index], ["SEQUENCE_GAP", 1]);
});

test("the writer stays at 0.5.0 and discloses no response", async () => {
  const [raw] = (await SampleChain.of(1)).raws;
  const { version, "@context": context } = JSON.parse(Buffer.from(raw as Uint8Array).toString());
  assert.deepEqual([version, context[1]], ["0.5.0", "https://agentreceipts.ai/context/v2"]);
  const draft = draftOf(1, "did:key:z6Mk");
  const { outcome } = vectors.versions.at(-1).receipt.credentialSubject;
  const disclosing = { ...draft, credentialSubject: { ...draft.credentialSubject, outcome } } as ReceiptDraft;
  assert.throws(() => createReceipt(disclosing, { chainId: "one", head: null }, crypto), ReceiptError);
});
