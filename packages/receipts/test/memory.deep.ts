// A verifier's memory doesn't grow with what it reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createReceipt,
  LedgerVerifier,
  type ReceiptDraft,
  type ReceiptHead,
  Sealer,
  trustKey,
} from "@countersign/receipts";
import { crypto, draftOf, newSigner, withSubject } from "./sample-chain.ts";

const MILLION = 1_000_000;
const EARLY = 100_000;
/** What the bounded memories of advice may still take after the first measure, with room for the engine's own. */
const ALLOWED_BYTES = 24 * 1024 * 1024;

function heapBytes(): number {
  assert.ok(globalThis.gc, "run with --expose-gc");
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test("a million receipts are verified in the memory of a hundred thousand", async () => {
  const publicKey = newSigner().publicKey;
  // What is measured is what is kept, not Ed25519: any signature is called good.
  const sealer = new Sealer({ publicKey, sign: () => new Uint8Array(64) });
  const verifier = new LedgerVerifier({
    crypto: { ...crypto, verify: () => true },
    keys: trustKey(publicKey),
    bytes: "canonical",
  });
  let head: ReceiptHead | null = null;
  let early = 0;
  for (let number = 1; number <= MILLION; number += 1) {
    const unsealed = createReceipt(unpaired(number), { chainId: "root", head }, crypto);
    head = unsealed.head;
    await verifier.feed(await sealer.seal(unsealed));
    if (number === EARLY) early = heapBytes();
  }
  const late = heapBytes();
  const report = await verifier.finish();
  assert.deepEqual([report.fault, report.count], [null, MILLION]);
  assert.ok(late - early < ALLOWED_BYTES, `${Math.round((late - early) / 1024)} KiB more after ${MILLION}`);
});

/** The worst for the memory of advice: keys that never repeat, actions that never end. */
function unpaired(number: number): ReceiptDraft {
  const draft = draftOf(number, "did:x:y");
  const action = { ...draft.credentialSubject.action, idempotency_key: `frame-${number}` };
  return withSubject(draft, { action, outcome: { status: "pending" } });
}
