// A ledger of several chains with its tree, as the recorder writes it, and what is done to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Checkpoint,
  describeRotation,
  digestOf,
  type Fault,
  type FaultCode,
  hashReceipt,
  keyFingerprint,
  type LedgerOptions,
  type LedgerReport,
  LedgerVerifier,
  leafHash,
  precheckReceipts,
  type ReceiptDraft,
  type Signer,
  signCheckpoint,
  TreeFrontier,
  type TreeHead,
  trustKey,
  webCrypto,
} from "@countersign/receipts";
import { pooledNodeCrypto } from "@countersign/receipts/node";
import fc from "fast-check";
import { crypto, newSigner, SampleChain, withRuntime, withSubject } from "./sample-chain.ts";

const signer = newSigner();
const ORIGIN = "countersign.test/1";

/** What a recorder does, as far as the record shows it. */
class Ledger {
  readonly raws: Uint8Array[] = [];
  readonly tree = new TreeFrontier(crypto);
  readonly heads: TreeHead[] = [];
  readonly root: SampleChain;
  #signer: Signer;

  constructor(by = signer) {
    this.#signer = by;
    this.root = new SampleChain(by, "root");
  }

  async append(chain: SampleChain, change?: (draft: ReceiptDraft) => ReceiptDraft): Promise<void> {
    const raw = await chain.append(change);
    this.raws.push(raw);
    const digest = digestOf(hashReceipt(JSON.parse(new TextDecoder().decode(raw)), crypto));
    this.tree.append(leafHash(digest as Uint8Array, crypto));
    this.heads.push({ size: this.tree.size, root: this.tree.root() });
  }

  async open(chainId: string, changes: object = {}, more: object = {}): Promise<SampleChain> {
    const chain = new SampleChain(this.#signer, chainId, this.root.issuerId);
    const { sequence, hash } = this.root.head ?? { sequence: 0, hash: "" };
    const parentChainRef = { chain_id: "root", sequence, receipt_hash: hash, ...changes };
    await this.append(chain, (draft) => withRuntime(draft, { parentChainRef, ...more }));
    return chain;
  }

  /** With the old key, to the new one; from then on the chain is signed with that. */
  async rotate(chain: SampleChain, to: Signer, nextKey: string, from = this.#signer): Promise<void> {
    const keyRotation = describeRotation({ oldKey: from.publicKey, newKey: to.publicKey }, crypto);
    await this.append(chain, (draft) => {
      const action = { ...draft.credentialSubject.action, type: "agent.key.rotate" };
      return withRuntime(withSubject(draft, { action, keyRotation }), { nextKey });
    });
    chain.signWith(to);
    if (chain === this.root) this.#signer = to;
  }

  async checkpoint(changes: Partial<Checkpoint> = {}, by = this.#signer): Promise<void> {
    const tree = { origin: ORIGIN, size: this.tree.size, root: this.tree.root(), ...changes };
    const note = await signCheckpoint(tree, by, crypto);
    await this.append(this.root, (draft) => {
      const action = { ...draft.credentialSubject.action, type: "dev.countersign.checkpoint" };
      return withRuntime(withSubject(draft, { action }), { checkpoint: note });
    });
  }
}

async function sample(): Promise<Ledger> {
  const ledger = new Ledger();
  await ledger.append(ledger.root);
  const one = await ledger.open("session-1");
  await ledger.append(one);
  await ledger.append(ledger.root);
  const two = await ledger.open("sandbox-1");
  for (const chain of [one, two, ledger.root, two, one]) await ledger.append(chain);
  await ledger.checkpoint();
  for (const chain of [two, one, ledger.root]) await ledger.append(chain);
  return ledger;
}

const ledger = await sample();
const { raws } = ledger;
const options = { crypto, keys: trustKey(signer.publicKey), bytes: "canonical" } as const;

async function verify(receipts: readonly Uint8Array[], changes: Partial<LedgerOptions> = {}): Promise<LedgerReport> {
  const verifier = new LedgerVerifier({ ...options, ...changes });
  for (const raw of receipts) await verifier.feed(raw);
  return verifier.finish();
}

function named(fault: Fault | null): [string, number] | null {
  return fault && [fault.code, fault.index];
}

test("a ledger as it was written is whole, with any crypto and from workers", async () => {
  for (const each of [crypto, pooledNodeCrypto(), webCrypto()]) {
    const report = await verify(raws, { crypto: each, witnessed: ledger.heads });
    assert.deepEqual(
      [report.fault, report.count, report.chains, report.witnessedSize],
      [null, raws.length, 3, raws.length],
    );
    assert.deepEqual(Buffer.from(report.tree.root), Buffer.from(ledger.tree.root()));
    assert.deepEqual(report.head, ledger.root.head);
  }
  const prechecks = await precheckReceipts(raws, crypto, { publicKey: signer.publicKey, bytes: "canonical" });
  const verifier = new LedgerVerifier(options);
  for (const [index, precheck] of prechecks.entries())
    await verifier.feedPrechecked(raws[index] as Uint8Array, precheck);
  assert.deepEqual(await verifier.finish(), await verify(raws));
});

test("any bit changed in any chain is found at its place in the ledger", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(raws.length - 1), fc.nat(), fc.nat(7), async (index, place, bit) => {
      const raw = Uint8Array.from(raws[index] as Uint8Array);
      raw[place % raw.length] = (raw[place % raw.length] as number) ^ (1 << bit);
      const { fault } = await verify(raws.with(index, raw));
      assert.equal(fault?.index, index);
    }),
    { numRuns: 500 },
  );
});

/** By the rules alone, for whoever has no witness: a chain counts on and begins at the root's tip, a checkpoint is of all before it. */
function firstFault(list: readonly Uint8Array[]): [FaultCode, number] | null {
  const seen: string[] = [];
  const count = (chainId: string | undefined) => seen.filter((one) => one === chainId).length;
  for (const [index, raw] of list.entries()) {
    const { chainId, sequence, anchor, isCheckpoint } = placeIn(raw);
    if (sequence !== count(chainId) + 1) return ["SEQUENCE_GAP", index];
    const tip = index === 0 ? undefined : count(seen[0]);
    if (sequence === 1 && anchor !== tip) return ["ANCHOR_MISMATCH", index];
    if (isCheckpoint && list.slice(0, index + 1).some((one, at) => one !== raws[at])) return ["ANCHOR_MISMATCH", index];
    seen.push(chainId);
  }
  return null;
}

function placeIn(raw: Uint8Array) {
  const { credentialSubject, issuer } = JSON.parse(new TextDecoder().decode(raw));
  const { chain_id: chainId, sequence } = credentialSubject.chain;
  const anchor: number | undefined = issuer.runtime?.parentChainRef?.sequence;
  return { chainId, sequence, anchor, isCheckpoint: issuer.runtime?.checkpoint !== undefined };
}

test("receipts left out, exchanged, repeated or put in another's place are found where that shows, with their code", async () => {
  const place = fc.nat(raws.length - 1);
  const at = (index: number) => raws[index] as Uint8Array;
  const changes: Readonly<Record<string, (one: number, other: number) => readonly Uint8Array[]>> = {
    leaveOut: (one) => raws.toSpliced(one, 1),
    exchange: (one, other) => raws.with(one, at(other)).with(other, at(one)),
    repeat: (one, other) => raws.toSpliced(other, 0, at(one)),
    replace: (one, other) => raws.with(other, at(one)),
  };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(changes)), place, place, async (change, one, other) => {
      const list = changes[change]?.(one, other) ?? [];
      fc.pre(list.length !== raws.length || list.some((raw, index) => raw !== raws[index]));
      assert.deepEqual(named((await verify(list)).fault), firstFault(list), `${change} ${one} ${other}`);
      // Whoever saw every tree sees where it begins; behind the last nobody saw one.
      const differs = list.findIndex((raw, index) => raw !== raws[index]);
      const seen = differs === -1 ? ["TRUNCATED", list.length] : ["FORKED", differs];
      const told = differs === raws.length ? firstFault(list) : seen;
      assert.deepEqual(named((await verify(list, { witnessed: ledger.heads })).fault), told);
    }),
    { numRuns: 400, examples: [["repeat", raws.length - 1, raws.length - 1]] },
  );
});

test("two chains' receipts in another order are another tree", async () => {
  // Neither chain is broken by it: only the tree knows the order.
  const swapped = raws.with(5, raws[6] as Uint8Array).with(6, raws[5] as Uint8Array);
  assert.deepEqual(named((await verify(swapped)).fault), ["ANCHOR_MISMATCH", 10]);
  assert.deepEqual(named((await verify(swapped, { witnessed: ledger.heads })).fault), ["FORKED", 5]);
});

test("a tail that a witness saw can't be cut off, one that nobody saw can", async () => {
  const witnessed = ledger.heads.slice(0, 9);
  for (let length = 1; length <= raws.length; length += 1) {
    const { fault, witnessedSize } = await verify(raws.slice(0, length), { witnessed });
    assert.deepEqual(named(fault), length < 9 ? ["TRUNCATED", length] : null);
    assert.equal(witnessedSize, Math.min(length, 9));
  }
  const expectHead = ledger.root.head ?? undefined;
  assert.ok(expectHead);
  assert.deepEqual(named((await verify(raws.slice(0, -1), { expectHead })).fault), ["TRUNCATED", raws.length - 1]);
});

test("another history with the same key is found by whoever saw the first", async () => {
  const other = await sample();
  await other.append(other.root);
  const twin = new Ledger();
  for (let count = 0; count < 15; count += 1)
    await twin.append(twin.root, (draft) => withRuntime(draft, { twin: count }));
  assert.equal((await verify(twin.raws)).isWhole, true);
  assert.deepEqual(named((await verify(twin.raws, { witnessed: ledger.heads.slice(4, 5) })).fault), ["FORKED", 4]);
  assert.equal(
    (await verify(other.raws, { witnessed: ledger.heads })).isWhole,
    true,
    "the same drafts make the same tree",
  );
});

test("a sub-chain begins at the root's tip and nowhere else", async () => {
  for (const changes of [{ sequence: 1 }, { receipt_hash: `sha256:${"0".repeat(64)}` }, { chain_id: "another" }]) {
    const wrong = new Ledger();
    await wrong.append(wrong.root);
    await wrong.append(wrong.root);
    await wrong.open("session-1", changes);
    assert.deepEqual(named((await verify(wrong.raws)).fault), ["ANCHOR_MISMATCH", 2], JSON.stringify(changes));
  }
  const adrift = new Ledger();
  await adrift.append(adrift.root);
  await adrift.append(new SampleChain(signer, "adrift"));
  assert.deepEqual(named((await verify(adrift.raws)).fault), ["ANCHOR_MISMATCH", 1]);
});

test("nobody opens a chain under a key of his own, or with a commitment of his own", async () => {
  const thief = newSigner();
  const wrong = new Ledger();
  await wrong.append(wrong.root, (draft) =>
    withRuntime(draft, { nextKey: keyFingerprint(newSigner().publicKey, crypto) }),
  );
  const parentChainRef = { chain_id: "root", sequence: 1, receipt_hash: wrong.root.head?.hash };
  const opened = [
    ...wrong.raws,
    await new SampleChain(thief, "x").append((draft) => withRuntime(draft, { parentChainRef })),
  ];
  assert.deepEqual(named((await verify(opened)).fault), ["INVALID_SIGNATURE", 1]);
  const nextKey = keyFingerprint(thief.publicKey, crypto);
  await wrong.append(new SampleChain(signer, "x"), (draft) => withRuntime(draft, { parentChainRef, nextKey }));
  assert.deepEqual(named((await verify(wrong.raws)).fault), ["INVALID_ROTATION", 1]);
});

test("a checkpoint on the root chain is of the tree before it, and signed with the key in force", async () => {
  const cases: readonly ((wrong: Ledger) => Promise<void>)[] = [
    (wrong) => wrong.checkpoint({ size: 2 }),
    (wrong) => wrong.checkpoint({ root: crypto.sha256(new Uint8Array(1)) }),
    (wrong) => wrong.checkpoint({}, newSigner()),
    (wrong) => wrong.append(wrong.root, (draft) => withRuntime(draft, { checkpoint: "no note" })),
  ];
  for (const each of cases) {
    const wrong = new Ledger();
    for (let count = 0; count < 3; count += 1) await wrong.append(wrong.root);
    await each(wrong);
    assert.deepEqual(named((await verify(wrong.raws)).fault), ["ANCHOR_MISMATCH", 3]);
  }
  const first = new Ledger();
  await first.checkpoint();
  assert.deepEqual(named((await verify(first.raws)).fault), ["ANCHOR_MISMATCH", 0]);
});

test("nothing is a ledger too", async () => {
  const { isWhole, count, head } = await verify([]);
  assert.deepEqual([isWhole, count, head], [true, 0, null]);
  assert.deepEqual(named((await verify([new Uint8Array(3)])).fault), ["MALFORMED_RECEIPT", 0]);
});

test("what one chain has begun no other one ends: its writer may be anyone", async () => {
  const ledger = new Ledger();
  const pending = (draft: ReceiptDraft) => withSubject(draft, { outcome: { status: "pending" }, correlation_id: "p" });
  await ledger.append(ledger.root, pending);
  const foreign = await ledger.open("uid:1000");
  await ledger.append(foreign, (draft) => withSubject(draft, { correlation_id: "p" }));
  const { isWhole, advisories } = await verify(ledger.raws);
  assert.ok(isWhole);
  assert.deepEqual(advisories, [{ code: "incomplete_tool_roundtrip", index: 0, subject: "p" }]);
});

const commitTo = ({ publicKey }: Signer) => keyFingerprint(publicKey, crypto);
const tipOf = ({ chainId, head }: SampleChain) => ({
  ...{ chain_id: chainId, sequence: head?.sequence, receipt_hash: head?.hash },
});

/** A session under the first key, and the root's change to the second. */
async function rotated(): Promise<{ ledger: Ledger; session: SampleChain; second: Signer }> {
  const second = newSigner();
  const ledger = new Ledger();
  await ledger.append(ledger.root, (draft) => withRuntime(draft, { nextKey: commitTo(second) }));
  const session = await ledger.open("session-1");
  await ledger.append(session, (draft) => withSubject(draft, { outcome: { status: "pending" }, correlation_id: "p" }));
  await ledger.rotate(ledger.root, second, commitTo(newSigner()));
  return { ledger, session, second };
}

test("after the root has changed its key, a chain goes on as another one, and ends what it had begun", async () => {
  const { ledger, session } = await rotated();
  const next = await ledger.open("key-2:session-1", {}, { continues: tipOf(session) });
  await ledger.append(next, (draft) => withSubject(draft, { correlation_id: "p" }));
  await ledger.checkpoint();
  const { fault, advisories, publicKey } = await verify(ledger.raws);
  assert.deepEqual([fault, advisories], [null, []]);
  assert.notDeepEqual(publicKey, signer.publicKey);
});

test("it can't change the key itself: not with the old one, which was given up, nor before that", async () => {
  const { ledger, session, second } = await rotated();
  await ledger.rotate(session, second, commitTo(newSigner()), signer);
  assert.deepEqual(named((await verify(ledger.raws)).fault), ["INVALID_SIGNATURE", 4]);

  const early = new Ledger();
  await early.append(early.root, (draft) => withRuntime(draft, { nextKey: commitTo(second) }));
  await early.rotate(await early.open("session-1"), second, commitTo(newSigner()));
  assert.deepEqual(named((await verify(early.raws)).fault), ["INVALID_ROTATION", 2]);
});

test("a key that was given up writes nowhere, not even where nobody has changed it", async () => {
  const { ledger, session } = await rotated();
  await ledger.append(session);
  assert.deepEqual(named((await verify(ledger.raws)).fault), ["INVALID_SIGNATURE", 4]);
});

test("a chain goes on where the one before it ended, and nowhere else", async () => {
  for (const change of [{ sequence: 1 }, { receipt_hash: `sha256:${"0".repeat(64)}` }, { chain_id: "session-2" }]) {
    const { ledger, session } = await rotated();
    await ledger.open("key-2:session-1", {}, { continues: { ...tipOf(session), ...change } });
    assert.deepEqual(named((await verify(ledger.raws)).fault), ["ANCHOR_MISMATCH", 4]);
  }
});
