import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ChainVerifier,
  describeRotation,
  didDocumentOfKey,
  didOfKey,
  didUrlOfKey,
  type Fault,
  type KeyRotation,
  keyFingerprint,
  keyOfDid,
  publicKeyFromPem,
  type Signer,
  trustKey,
} from "@countersign/receipts";
import fc from "fast-check";
import { crypto, newSigner, SampleChain, withRuntime, withSubject } from "./sample-chain.ts";
import { bytesOf, dataJson, WITHOUT_DATA } from "./shared-data.ts";

const skip = { skip: WITHOUT_DATA };

test("did:key identifiers and documents of the peer's vectors", skip, () => {
  const { vectors } = dataJson("spec/test-vectors/did-key/vectors.json");
  assert.equal(vectors.length, 3);
  for (const { name, public_key_hex: hex, did, did_document: document } of vectors) {
    const publicKey = new Uint8Array(Buffer.from(hex, "hex"));
    assert.equal(didOfKey(publicKey), did, name);
    assert.deepEqual(didDocumentOfKey(publicKey), document, name);
    assert.deepEqual(keyOfDid(did), publicKey, name);
    assert.deepEqual(keyOfDid(document.verificationMethod[0].id), publicKey, name);
  }
});

test("a did:key reads back, and nothing else is taken for one", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (publicKey) => {
      assert.deepEqual(keyOfDid(didUrlOfKey(publicKey)), publicKey);
    }),
  );
  for (const did of [
    "",
    "did:key:",
    "did:key:z",
    "did:web:example.com",
    "did:agent:test#key-1",
    "did:key:u7QEBBBB",
    // X25519, not Ed25519.
    "did:key:z6LSeu9HkTHSfLLeUs2nnzUSNedgDUevfNQUQUaHL9XJ7Z5W",
    "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMs",
    "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw0",
    ` ${didOfKey(newSigner().publicKey)}`,
  ]) {
    assert.equal(keyOfDid(did), null, did);
  }
});

test("a PEM of anything but an Ed25519 public key is none", () => {
  for (const pem of [
    "",
    "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
    "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
  ]) {
    assert.equal(publicKeyFromPem(pem), null);
  }
});

test("the peer's rotation is followed to its new key", skip, async () => {
  const receipt = dataJson("spec/test-vectors/rotation-event/example.json");
  // RFC 8032 7.1: the fixture goes from TEST 2 to TEST 3.
  const oldKey = Buffer.from("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "hex");
  const newKey = Buffer.from("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "hex");
  assert.deepEqual(describeRotation({ oldKey, newKey }, crypto), receipt.credentialSubject.keyRotation);
  const verifier = new ChainVerifier({ crypto, keys: trustKey(new Uint8Array(oldKey)) });
  await verifier.feed(bytesOf(receipt));
  const { fault, publicKey } = await verifier.finish();
  assert.equal(fault, null);
  assert.deepEqual(publicKey, new Uint8Array(newKey));
});

interface Rotation {
  readonly by: Signer;
  readonly to: Signer;
  readonly change?: Partial<KeyRotation>;
  /** The commitment that the rotation itself makes; null: none. */
  readonly nextKey?: string | null;
}

const [first, second, third, thief] = [newSigner(), newSigner(), newSigner(), newSigner()];
const commitTo = (signer: Signer) => keyFingerprint(signer.publicKey, crypto);

async function rotate(chain: SampleChain, { by, to, change, nextKey = commitTo(third) }: Rotation): Promise<void> {
  await chain.append((draft) => {
    const action = { ...draft.credentialSubject.action, type: "agent.key.rotate" };
    const keyRotation = { ...describeRotation({ oldKey: by.publicKey, newKey: to.publicKey }, crypto), ...change };
    const rotated = withSubject(draft, { action, keyRotation });
    return nextKey === null ? rotated : withRuntime(rotated, { nextKey });
  });
  chain.signWith(to);
}

/** A chain whose first receipt commits to the second key. */
async function committed(): Promise<SampleChain> {
  const chain = new SampleChain(first);
  await chain.append((draft) => withRuntime(draft, { nextKey: commitTo(second) }));
  await chain.append();
  return chain;
}

async function faultOf(chain: SampleChain): Promise<Pick<Fault, "code" | "index"> | null> {
  const verifier = new ChainVerifier({ crypto, keys: trustKey(first.publicKey), bytes: "canonical" });
  for (const raw of chain.raws) await verifier.feed(raw);
  const { fault } = await verifier.finish();
  return fault && { code: fault.code, index: fault.index };
}

test("a key hands over to the one that was committed to, and that to the next", async () => {
  const chain = await committed();
  await rotate(chain, { by: first, to: second });
  await chain.append();
  await rotate(chain, { by: second, to: third, nextKey: commitTo(first) });
  await chain.append();
  assert.equal(await faultOf(chain), null);
});

test("a stolen key can't name its own successor", async () => {
  const chain = await committed();
  await rotate(chain, { by: first, to: thief });
  await chain.append();
  assert.deepEqual(await faultOf(chain), { code: "INVALID_ROTATION", index: 2 });
});

test("nor commit to one in between, nor drop the commitment, nor hand over in silence", async () => {
  const commits = await committed();
  await commits.append((draft) => withRuntime(draft, { nextKey: commitTo(thief) }));
  assert.deepEqual(await faultOf(commits), { code: "INVALID_ROTATION", index: 2 });

  const drops = await committed();
  await rotate(drops, { by: first, to: second, nextKey: null });
  assert.deepEqual(await faultOf(drops), { code: "INVALID_ROTATION", index: 2 });

  const silent = await committed();
  silent.signWith(second);
  await silent.append();
  assert.deepEqual(await faultOf(silent), { code: "INVALID_SIGNATURE", index: 2 });
});

test("the old key ends with its rotation, and the new one doesn't sign it", async () => {
  const lingers = await committed();
  await rotate(lingers, { by: first, to: second });
  lingers.signWith(first);
  await lingers.append();
  assert.deepEqual(await faultOf(lingers), { code: "INVALID_SIGNATURE", index: 3 });

  const early = await committed();
  early.signWith(second);
  await rotate(early, { by: first, to: second });
  assert.deepEqual(await faultOf(early), { code: "INVALID_SIGNATURE", index: 2 });
});

test("a rotation that describes its keys wrong is none", async () => {
  const wrong: readonly Partial<KeyRotation>[] = [
    { new_key_fingerprint: commitTo(thief) },
    { old_key_fingerprint: commitTo(thief) },
    { new_public_key: "uAAAA" },
    { new_public_key: describeRotation({ oldKey: first.publicKey, newKey: thief.publicKey }, crypto).new_public_key },
    { new_algorithm: "rsa" },
    { old_algorithm: "ed448" },
  ];
  for (const change of wrong) {
    const chain = await committed();
    await rotate(chain, { by: first, to: second, change });
    assert.deepEqual(await faultOf(chain), { code: "INVALID_ROTATION", index: 2 }, JSON.stringify(change));
  }
});

test("a chain without a commitment rotates as the peer's do", async () => {
  const chain = await SampleChain.of(2, first);
  await rotate(chain, { by: first, to: second, nextKey: null });
  await chain.append();
  assert.equal(await faultOf(chain), null);
});
