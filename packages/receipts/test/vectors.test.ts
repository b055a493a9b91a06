// The peer's cross-SDK vectors: what its Go, Python and TypeScript libraries agree on, we agree on.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ChainVerifier,
  canonicalize,
  type Fault,
  hashObject,
  hashReceipt,
  OUR_TYPES,
  PEER_TYPES,
  publicKeyFromPem,
  publicKeyToPem,
  readJson,
  readReceipt,
  riskFloor,
  trustKey,
  verifyReceipt,
  webCrypto,
} from "@countersign/receipts";
import { nodeCrypto, signerFromPem } from "@countersign/receipts/node";
import { bytesOf, dataJson, dataText, WITHOUT_DATA } from "./shared-data.ts";

const crypto = nodeCrypto();
const skip = { skip: WITHOUT_DATA };
const SDK_FILES = [
  "cross-sdk-tests/go_vectors.json",
  "cross-sdk-tests/py_vectors.json",
  "sdk/py/tests/fixtures/ts_vectors.json",
];

interface Vectors {
  readonly keys: { readonly publicKey: string };
}

function trusting(vectors: Vectors) {
  const publicKey = publicKeyFromPem(vectors.keys.publicKey);
  assert.ok(publicKey);
  assert.equal(publicKeyToPem(publicKey), vectors.keys.publicKey);
  return trustKey(publicKey);
}

/** With Node's crypto and with a browser's. */
async function check(receipt: unknown, vectors: Vectors): Promise<Fault | null> {
  const keys = trusting(vectors);
  const answers = [crypto, webCrypto()].map((each) => verifyReceipt(bytesOf(receipt), { crypto: each, keys }));
  const [node, web] = await Promise.all(answers);
  assert.deepEqual(node, web);
  return node?.isValid === false ? node.fault : null;
}

async function checkChain(receipts: readonly unknown[], vectors: Vectors, options = {}) {
  const verifier = new ChainVerifier({ crypto, keys: trusting(vectors), ...options });
  for (const receipt of receipts) await verifier.feed(bytesOf(receipt));
  return verifier.finish();
}

test("canonical forms and hashes of the peer's canonicalization vectors", skip, () => {
  const file = dataJson("cross-sdk-tests/canonicalization_vectors.json");
  assert.equal(file.canonicalization_vectors.length, 32);
  for (const { name, input, canonical, expectedHash } of file.canonicalization_vectors) {
    assert.equal(canonicalize(input), canonical, name);
    if (expectedHash !== undefined) assert.equal(hashObject(input, crypto), expectedHash, name);
  }
  // The same through our own reader, from the file's bytes.
  const strict = readJson(dataText("cross-sdk-tests/canonicalization_vectors.json"));
  assert.equal(canonicalize(strict), canonicalize(file));
});

test("receipt hashes of the peer's canonicalization vectors", skip, () => {
  const { receipt_hash_vectors: vectors } = dataJson("cross-sdk-tests/canonicalization_vectors.json");
  const baseline = vectors.find(({ name }: { name: string }) => name === "receipt_all_optional_absent").expectedHash;
  let hashed = 0;
  for (const { name, receipt, expectedHash } of vectors) {
    if (receipt === undefined) continue;
    const expected = expectedHash === "SAME_AS_receipt_all_optional_absent" ? baseline : expectedHash;
    assert.equal(hashReceipt(receipt, crypto), expected, name);
    hashed += 1;
  }
  assert.equal(hashed, vectors.length - 1, "one vector points to another file");
});

for (const path of SDK_FILES) {
  test(`what another SDK signed: ${path.split("/").at(-1)}`, skip, async () => {
    const { canonicalization, hashing, signing, ...vectors } = dataJson(path);
    assert.equal(canonicalize(canonicalization.simpleInput), canonicalization.simpleExpected);
    assert.equal(canonicalize(canonicalization.receiptInput), canonicalization.receiptExpected);
    assert.equal(hashReceipt(canonicalization.receiptInput, crypto), hashing.receiptExpected);
    assert.equal(hashReceipt(signing.unsigned, crypto), hashReceipt(signing.signed, crypto));
    assert.equal(await check(signing.signed, vectors), null);
    // Ed25519 is deterministic: our signature of the same bytes is theirs.
    const read = readReceipt(bytesOf(signing.signed));
    assert.ok(read.kind === "receipt");
    const signature = await signerFromPem(vectors.keys.privateKey).sign(read.message);
    assert.equal(`u${Buffer.from(signature).toString("base64url")}`, signing.signed.proof.proofValue);
  });
}

test("single receipts of every version from 0.2.1 to 0.5.0", skip, async () => {
  let checked = 0;
  for (const version of ["020", "030", "040", "050"]) {
    const vectors = dataJson(`cross-sdk-tests/v${version}_vectors.json`);
    for (const [name, { receipt, expectedReceiptHash, expectedValid }] of Object.entries<{
      receipt?: object;
      expectedReceiptHash?: string;
      expectedValid?: boolean;
    }>(vectors)) {
      if (receipt === undefined) continue;
      assert.equal(hashReceipt(receipt, crypto), expectedReceiptHash, name);
      assert.equal((await check(receipt, vectors)) === null, expectedValid, name);
      checked += 1;
    }
  }
  assert.equal(checked, 8);
});

test("a closed chain, a retried action and a redacted response", skip, async () => {
  const { terminalChain, responseHash, ...v020 } = dataJson("cross-sdk-tests/v020_vectors.json");
  assert.equal(hashObject(responseHash.redactedResponse, crypto), responseHash.expectedHash);
  const closed = await checkChain(terminalChain.receipts, v020, { requireTerminal: true });
  assert.deepEqual([closed.isWhole, closed.ending, closed.responsesUnchecked], [true, "complete", 3]);
  const redacted = await checkChain(terminalChain.receipts, v020, { responseTo: () => responseHash.redactedResponse });
  assert.deepEqual([redacted.isWhole, redacted.responsesUnchecked], [true, 0]);
  const raw = await checkChain(terminalChain.receipts, v020, { responseTo: () => responseHash.rawResponse });
  assert.deepEqual([raw.fault?.code, raw.fault?.index], ["RESPONSE_MISMATCH", 0]);

  const { duplicateIdempotencyChain, ...v040 } = dataJson("cross-sdk-tests/v040_vectors.json");
  const retried = await checkChain(duplicateIdempotencyChain.receipts, v040);
  assert.equal(retried.isWhole, duplicateIdempotencyChain.expectedValid);
  assert.deepEqual(retried.advisories, [
    { code: "duplicate_idempotency_key", index: 1, subject: duplicateIdempotencyChain.duplicateKey },
  ]);
});

test("every malformed vector is refused by its name", skip, async () => {
  const { receipts, chains, ...vectors } = dataJson("cross-sdk-tests/malformed_vectors.json");
  const codes: Record<string, string> = {};
  for (const { name, receipt } of receipts) codes[name] = (await check(receipt, vectors))?.code ?? "accepted";
  for (const { name, receipts: chain } of chains) {
    const { fault } = await checkChain(chain, vectors);
    codes[name] = `${fault?.code} at ${fault?.index}`;
  }
  assert.deepEqual(codes, {
    wrong_proof_type: "MALFORMED_RECEIPT",
    mutated_action_type: "INVALID_SIGNATURE",
    mutated_principal_id: "INVALID_SIGNATURE",
    truncated_proof_value: "MALFORMED_RECEIPT",
    wrong_multibase_prefix: "MALFORMED_RECEIPT",
    flipped_proof_byte: "INVALID_SIGNATURE",
    missing_previous_receipt_hash_mid_chain: "BROKEN_LINK at 1",
  });
});

test("the taxonomy is the peer's, and ours is apart from it", skip, () => {
  const { domains } = dataJson("spec/spec/taxonomy/action-types.json");
  const theirs = Object.values<{ actions: { type: string; risk_level: string }[] }>(domains).flatMap(({ actions }) =>
    actions.map(({ type, risk_level: risk }) => [type, risk]),
  );
  assert.equal(theirs.length, 46);
  assert.deepEqual(Object.entries(PEER_TYPES), theirs);
  for (const type of Object.keys(OUR_TYPES)) assert.ok(!(type in PEER_TYPES), type);
  assert.equal(riskFloor("system.pty.close"), "critical");
});

test("the peer's examples have the right shape, whatever their signatures are", skip, () => {
  for (const name of [
    "chain-receipt-1",
    "chain-receipt-2",
    "chain-receipt-3",
    "delegation-receipt",
    "full-receipt",
    "minimal-receipt",
    "parameters-disclosure-receipt",
    "v0-2-response-hash-receipt",
    "v0-2-terminal-chain-receipt-3",
  ]) {
    const read = readReceipt(new TextEncoder().encode(dataText(`spec/examples/${name}.json`)));
    assert.equal(read.kind, "receipt", name);
  }
});

test("disclosure envelopes: canonical form and shape", skip, () => {
  for (const vector of dataJson("spec/test-vectors/disclosure-envelope/vectors.json").vectors) {
    assert.equal(canonicalize(vector.envelope_object), vector.envelope_canonical_jcs);
    assert.equal(canonicalize(vector.plaintext_object), vector.plaintext_canonical_jcs);
  }
});

test("disclosure envelopes: opened with a recipient's key", {
  skip: "we write hashes and disclose nothing, so that HPKE waits until somebody asks for it",
});
