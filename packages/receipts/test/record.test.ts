import assert from "node:assert/strict";
import { test } from "node:test";
import {
  didOfKey,
  judgeVerification,
  keyFingerprint,
  precheckReceipts,
  type RecordSource,
  type RecordVerdict,
  Trust,
  verifyRecord,
} from "@countersign/receipts";
import { PeerChain, sourceOf } from "./peer-chain.ts";
import { crypto, newSigner, SampleChain, withRuntime } from "./sample-chain.ts";

const desk = {
  width: 1,
  ask: (raws: readonly Uint8Array[], publicKey: Uint8Array, bytes: "any" | "canonical") =>
    precheckReceipts(raws, crypto, { publicKey, bytes }),
};
const HINTS = { key: "", tail: "" };

/** As the command and the page judge a record. */
async function verdictOn(
  source: RecordSource,
  { given = [], local = [] }: { readonly given?: readonly Uint8Array[]; readonly local?: readonly Uint8Array[] } = {},
): Promise<RecordVerdict> {
  const [trust, remembered] = [new Trust(given, crypto), new Trust(local, crypto)];
  const found = await verifyRecord(
    source,
    {
      crypto,
      trust: trust.isEmpty ? remembered : trust,
      isTrustGiven: !trust.isEmpty,
      ownMemories: [],
      witnessed: [],
    },
    desk,
  );
  return judgeVerification(found, {
    trust,
    local: remembered,
    hasExpectedHead: false,
    selection: false,
    hints: HINTS,
  });
}

const [peer, other, thief] = [newSigner(), newSigner(), newSigner()];
const NAMED = "did:agent:peer#key-1";

test("a verdict names the key of an issuer that isn't a did:key", async () => {
  const { lines } = await PeerChain.of(2, peer, "one", NAMED);
  const { whole, trusted, keys } = await verdictOn(sourceOf(lines), { given: [other.publicKey, peer.publicKey] });
  assert.deepEqual({ whole, trusted, keys }, { whole: true, trusted: "given", keys: [didOfKey(peer.publicKey)] });
});

test("a verdict names each key once, whichever chains it signed", async () => {
  const chains = [await PeerChain.of(2, peer, "one"), await PeerChain.of(2, peer, "two")];
  const { keys } = await verdictOn(sourceOf(chains.flatMap(({ lines }) => lines)));
  assert.deepEqual(keys, [didOfKey(peer.publicKey)]);
});

test("a changed receipt of a named issuer is INVALID_SIGNATURE to who trusts its key", async () => {
  const { lines } = await PeerChain.of(2, peer, "one", NAMED);
  const changed = sourceOf([lines[0]?.replace("did:user:ann", "did:user:bob") as string, lines[1] as string]);
  const codes: (string | undefined)[] = [];
  for (const trust of [{ given: [peer.publicKey] }, { given: [other.publicKey, peer.publicKey] }, {}])
    codes.push((await verdictOn(changed, trust)).fault?.code);
  assert.deepEqual(codes, ["INVALID_SIGNATURE", "INVALID_SIGNATURE", "UNRESOLVABLE_DID"]);
});

test("a named issuer's receipts are UNRESOLVABLE_DID when only this home's key is known", async () => {
  const { lines } = await PeerChain.of(1, peer, "one", NAMED);
  const { fault } = await verdictOn(sourceOf(lines), { local: [other.publicKey] });
  assert.deepEqual([fault?.code, fault?.index], ["UNRESOLVABLE_DID", 0]);
});

test("a record vouched for by nobody's key is never trusted", async () => {
  const { lines } = await PeerChain.of(1, peer);
  const { whole, trusted, fault } = await verdictOn(sourceOf(lines), { given: [other.publicKey] });
  assert.deepEqual([whole, trusted, fault?.code], [false, null, "INVALID_SIGNATURE"]);
});

test("a rotation says whether the key before it had committed to it", async () => {
  const chain = await PeerChain.of(1, peer);
  await chain.append({ rotateTo: thief });
  await chain.append();
  const uncommitted = await verdictOn(sourceOf(chain.lines));
  const { keyRotation } = JSON.parse(chain.lines[1] as string).credentialSubject;
  const [from, to] = [keyRotation.old_key_fingerprint, keyRotation.new_key_fingerprint];
  assert.deepEqual(uncommitted.rotations, [{ index: 1, from, to, isCommitted: false }]);
  assert.deepEqual(uncommitted.keys, [didOfKey(peer.publicKey), didOfKey(thief.publicKey)]);
  assert.match(uncommitted.notProved.join("\n"), /who chose the key at receipt 2: nothing had committed to it/i);

  const ours = new SampleChain(peer);
  await ours.append((draft) => withRuntime(draft, { nextKey: keyFingerprint(other.publicKey, crypto) }));
  const keyRotationTo = JSON.parse(
    (await PeerChain.of(0, peer).then((made) => made.append({ rotateTo: other }))).lines[0] as string,
  ).credentialSubject.keyRotation;
  await ours.append((draft) => ({
    ...withRuntime(draft, { nextKey: keyFingerprint(thief.publicKey, crypto) }),
    credentialSubject: {
      ...draft.credentialSubject,
      action: { ...draft.credentialSubject.action, type: "agent.key.rotate" },
      keyRotation: keyRotationTo,
    },
  }));
  const committed = await verdictOn(sourceOf(ours.raws.map((raw) => Buffer.from(raw).toString())));
  assert.deepEqual(
    committed.rotations.map(({ index, isCommitted }) => [index, isCommitted]),
    [[1, true]],
    JSON.stringify(committed.fault),
  );
  assert.doesNotMatch(committed.notProved.join("\n"), /nothing had committed/);
});
