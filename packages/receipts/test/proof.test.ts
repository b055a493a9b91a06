// Proofs that stand by themselves: what they prove, and everything that makes them prove nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ConsistencyProof,
  checkProof,
  describeRotation,
  digestOf,
  followKeyHistory,
  hashReceipt,
  type InclusionProof,
  keyFingerprint,
  leafHash,
  PROOF_FORMAT,
  proveConsistency,
  proveInclusion,
  type ReceiptDraft,
  readProof,
  refreshCheckpoint,
  type Signer,
  signCheckpoint,
  TreeFrontier,
  webCrypto,
} from "@countersign/receipts";
import { crypto, newSigner, SampleChain, withRuntime, withSubject } from "./sample-chain.ts";

const [first, second, third, thief] = [newSigner(), newSigner(), newSigner(), newSigner()];
const commitTo = ({ publicKey }: Signer) => keyFingerprint(publicKey, crypto);
const ROOT = "countersign:x:root";
const ORIGIN = "countersign:x/epoch-1";
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const textOf = (raw: Uint8Array) => new TextDecoder().decode(raw);

/** Five receipts under the first key, the change, and five under the second. */
class Sample {
  readonly chain: SampleChain;
  readonly #tree = new TreeFrontier(crypto);
  readonly #nodes = new Map<string, Uint8Array>();
  readonly heads: { size: number; root: Uint8Array }[] = [{ size: 0, root: new Uint8Array(32) }];

  private constructor(by: Signer) {
    this.chain = new SampleChain(by, ROOT);
  }

  static async make(by = first, to = second): Promise<Sample> {
    const sample = new Sample(by);
    await sample.append((draft) => withRuntime(draft, { nextKey: commitTo(to) }));
    for (let count = 1; count < 5; count += 1) await sample.append();
    await sample.append((draft) => {
      const action = { ...draft.credentialSubject.action, type: "agent.key.rotate" };
      const keyRotation = describeRotation({ oldKey: by.publicKey, newKey: to.publicKey }, crypto);
      return withRuntime(withSubject(draft, { action, keyRotation }), { nextKey: commitTo(third) });
    });
    sample.chain.signWith(to);
    for (let count = 6; count < 11; count += 1) await sample.append();
    return sample;
  }

  async append(change?: (draft: ReceiptDraft) => ReceiptDraft): Promise<void> {
    const raw = await this.chain.append(change);
    const leaf = leafHash(digestOf(hashReceipt(JSON.parse(textOf(raw)), crypto)) as Uint8Array, crypto);
    for (const { level, index, hash } of this.#tree.append(leaf)) this.#nodes.set(`${level}/${index}`, hash);
    this.heads.push({ size: this.#tree.size, root: this.#tree.root() });
  }

  get line(): string[] {
    return [0, 5].map((index) => textOf(this.chain.raws[index] as Uint8Array));
  }

  note(size: number, by: Signer, origin = ORIGIN): Promise<string> {
    return signCheckpoint({ origin, ...(this.heads[size] as { size: number; root: Uint8Array }) }, by, crypto);
  }

  async inclusion(seq: number, size: number, by: Signer): Promise<InclusionProof> {
    const proof = await proveInclusion({ index: seq - 1, size }, this.#read, crypto);
    const receipt = textOf(this.chain.raws[seq - 1] as Uint8Array);
    const told = { kind: "inclusion", seq, receipt, proof: proof.map(base64) } as const;
    return { format: PROOF_FORMAT, ...told, checkpoint: await this.note(size, by), line: this.line };
  }

  async consistency(from: number, to: number): Promise<ConsistencyProof> {
    const proof = (await proveConsistency({ from, to }, this.#read, crypto)).map(base64);
    const tree = async (size: number, by: Signer) => ({
      ...{ size, root: base64((this.heads[size] as { root: Uint8Array }).root), note: await this.note(size, by) },
    });
    const ends = { from: await tree(from, first), to: await tree(to, second) };
    return { format: PROOF_FORMAT, kind: "consistency", ...ends, proof, line: this.line };
  }

  readonly #read = (level: number, index: number) => this.#nodes.get(`${level}/${index}`) as Uint8Array;
}

const sample = await Sample.make();
const codeOf = async (proof: InclusionProof | ConsistencyProof) =>
  (await checkProof(proof, crypto)).fault?.code ?? null;

test("every receipt is proved to be in every tree that covers it, with any crypto", async () => {
  for (let size = 6; size <= 11; size += 1) {
    for (let seq = 1; seq <= size; seq += 1) {
      const proof = readProof(JSON.parse(JSON.stringify(await sample.inclusion(seq, size, second))));
      assert.ok(proof);
      for (const each of [crypto, webCrypto()]) {
        const { fault, keys, signed } = await checkProof(proof, each);
        assert.deepEqual([fault, keys, signed.to], [null, [first.publicKey, second.publicKey], true]);
      }
    }
  }
});

test("what isn't so isn't proved, and is named", async () => {
  const good = await sample.inclusion(3, 9, second);
  const other = await sample.inclusion(4, 9, second);
  const stranger = await Sample.make(thief, newSigner());
  const cases: readonly [string, Partial<InclusionProof>, string][] = [
    ["another place", { seq: 4 }, "ANCHOR_MISMATCH"],
    ["no place at all", { seq: 10 }, "ANCHOR_MISMATCH"],
    ["another receipt", { receipt: other.receipt }, "ANCHOR_MISMATCH"],
    ["a changed receipt", { receipt: good.receipt.replace("npm run", "npm ruN") }, "INVALID_SIGNATURE"],
    ["a stranger's", { receipt: textOf(stranger.chain.raws[2] as Uint8Array) }, "INVALID_SIGNATURE"],
    ["no receipt", { receipt: "{}" }, "MALFORMED_RECEIPT"],
    ["another way", { proof: other.proof }, "ANCHOR_MISMATCH"],
    ["half of the way", { proof: good.proof.slice(1) }, "ANCHOR_MISMATCH"],
    ["no hashes", { proof: good.proof.map(() => "AAAA") }, "ANCHOR_MISMATCH"],
    ["an endless way", { proof: Array.from({ length: 5_000 }, () => good.proof[0] as string) }, "ANCHOR_MISMATCH"],
    ["a thief's checkpoint", { checkpoint: await sample.note(9, thief) }, "ANCHOR_MISMATCH"],
    [
      "another ledger's checkpoint",
      { checkpoint: await sample.note(9, second, "countersign:y/epoch-1") },
      "ANCHOR_MISMATCH",
    ],
    ["no checkpoint", { checkpoint: "x" }, "ANCHOR_MISMATCH"],
    ["no line", { line: ["{}"] }, "MALFORMED_RECEIPT"],
    ["half a line", { line: sample.line.slice(1) }, "SEQUENCE_GAP"],
    ["a line without its change", { line: sample.line.slice(0, 1) }, "ANCHOR_MISMATCH"],
    ["an endless line", { line: Array.from({ length: 2_000 }, () => "{}") }, "MALFORMED_RECEIPT"],
  ];
  for (const [name, change, code] of cases) assert.equal(await codeOf({ ...good, ...change }), code, name);
});

test("that a tree has only grown, between any two sizes; a fork isn't growth", async () => {
  const fork = await Sample.make(thief, newSigner());
  for (let to = 6; to <= 11; to += 1) {
    for (let from = 1; from <= to; from += 1) {
      const good = await sample.consistency(from, to);
      const { fault, signed } = await checkProof(good, crypto);
      assert.deepEqual([fault, signed], [null, { from: true, to: true }]);
      if (from === to) continue;
      // Signed by the right key, which has written another history.
      assert.equal(await codeOf({ ...good, from: (await fork.consistency(from, to)).from }), "FORKED");
      assert.equal(await codeOf({ ...good, to: { ...good.to, root: good.from.root } }), "ANCHOR_MISMATCH");
    }
  }
  const { note: _from, ...from } = (await sample.consistency(4, 9)).from;
  const unsigned = { ...(await sample.consistency(4, 9)), from };
  assert.deepEqual((await checkProof(unsigned, crypto)).signed, { from: false, to: true });
});

test("a key that was only named vouches for nothing", async () => {
  // Anybody can begin a ledger that commits to another's key, and change to it. Sign with it they can't.
  const forged = await Sample.make(thief, second);
  const { keys } = await checkProof(await forged.inclusion(2, 4, thief), crypto);
  assert.deepEqual(keys, [thief.publicKey]);
  const nothingSigned = await forged.consistency(2, 9);
  const { note: _a, ...from } = nothingSigned.from;
  const { note: _b, ...to } = nothingSigned.to;
  const { fault, keys: none } = await checkProof({ ...nothingSigned, from, to }, crypto);
  assert.deepEqual([fault, none], [null, []]);
});

test("a line of keys goes from the first to the last, each committed to, and not otherwise", async () => {
  const line = await followKeyHistory(sample.line, crypto);
  assert.ok(line.kind === "line");
  assert.deepEqual([line.keys, line.chainId], [[first.publicKey, second.publicKey], ROOT]);
  assert.deepEqual(line.committed, [true, true]);
  const other = await Sample.make(first, third);
  const named = async (texts: readonly string[]) => {
    const followed = await followKeyHistory(texts, crypto);
    return followed.kind === "broken" ? [followed.fault.code, followed.fault.index] : null;
  };
  const [opening = "", change = ""] = sample.line;
  assert.deepEqual(await named([opening, other.line[1] as string]), ["INVALID_ROTATION", 1]);
  assert.deepEqual(await named([opening, change, change]), ["INVALID_SIGNATURE", 2]);
  assert.deepEqual(await named([opening, opening]), ["SEQUENCE_GAP", 1]);
  assert.deepEqual(await named([opening, textOf(sample.chain.raws[2] as Uint8Array)]), ["INVALID_ROTATION", 1]);
  assert.deepEqual(await named([]), ["MALFORMED_RECEIPT", 0]);
});

test("what has another form is no proof", async () => {
  const good = await sample.inclusion(3, 9, second);
  const grown = await sample.consistency(4, 9);
  assert.ok(readProof(grown));
  const wrong = [
    null,
    [],
    "x",
    {},
    { ...good, format: "countersign-proof/2" },
    { ...good, seq: 0 },
    { ...good, seq: 1.5 },
    { ...good, note: "a member that the format doesn't have" },
    { ...grown, from: { ...grown.from, seen: true } },
  ];
  for (const each of [...wrong, { ...good, proof: [1] }, { ...good, line: [] }, { ...good, kind: "other" }]) {
    assert.equal(readProof(each), null, JSON.stringify(each)?.slice(0, 80));
  }
});

test("whoever remembers a checkpoint finds a ledger that was cut, changed, replaced, or is signed with a key that was given up", async () => {
  const memoryAt = async (of: Sample, size: number, by: Signer, line = of.line) => ({
    note: await of.note(size, by),
    line,
  });
  const before = (of: Sample, size: number) => memoryAt(of, size, first, of.line.slice(0, 1));
  const look = async (
    memory: Awaited<ReturnType<typeof memoryAt>> | null,
    shown: typeof memory & object,
    by = sample,
  ) => {
    const asked: unknown[] = [];
    const prove = async (sizes: { from: number; to: number }) => {
      asked.push(sizes);
      return (await by.consistency(sizes.from, sizes.to)).proof;
    };
    const seen = await refreshCheckpoint(memory, shown, { crypto, prove });
    return seen.kind === "kept" ? seen.how : seen.code;
  };
  const now = await memoryAt(sample, 9, second);
  assert.equal(await look(null, now), "first");
  assert.equal(await look(now, now), "same");
  assert.equal(await look(await before(sample, 4), await before(sample, 5)), "grown");
  assert.equal(await look(await before(sample, 4), now), "grown");
  assert.equal(await look(now, await memoryAt(sample, 8, second)), "TRUNCATED");
  assert.equal(await look(now, await before(sample, 5)), "TRUNCATED");
  assert.equal(await look(now, await memoryAt(sample, 10, first)), "INVALID_SIGNATURE");
  assert.equal(await look(now, await memoryAt(sample, 10, thief)), "INVALID_SIGNATURE");
  assert.equal(await look(now, { note: "x", line: sample.line }), "INVALID_SIGNATURE");
  assert.equal(await look(now, { ...now, line: ["{}"] }), "MALFORMED_RECEIPT");
  assert.equal(await look({ ...now, note: "x" }, now), "INVALID_SIGNATURE");
  const stranger = await Sample.make(thief, newSigner());
  const theirs = await memoryAt(stranger, 9, thief);
  assert.equal(await look(now, theirs), "ISSUER_MISMATCH");
  // The right keys, and another history: at the same size, and at a larger one with whatever proof.
  const forked = { note: await stranger.note(9, second), line: sample.line };
  assert.equal(await look(now, forked), "FORKED");
  const longer = { note: await stranger.note(10, second), line: sample.line };
  assert.equal(await look(now, longer), "FORKED");
  assert.equal(await look(now, longer, stranger), "FORKED");
});
