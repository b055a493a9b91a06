import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { concatBytes, fromHex, toHex } from "../crypto/bytes.ts";
import { nodeCrypto } from "../crypto/node-crypto.ts";
import { checkConsistency, checkInclusion, type TreeHead } from "../merkle-check/check-proof.ts";
import { RegrownTree } from "../merkle-check/recompute-tree.ts";
import { levelOf } from "./counts.ts";
import { TreeFrontier } from "./frontier.ts";
import { leafHash } from "./node-hash.ts";
import { proveConsistency, proveInclusion } from "./prove.ts";

const crypto = nodeCrypto();
const sha256 = (...parts: Uint8Array[]) => Uint8Array.from(crypto.sha256(concatBytes(...parts)));
const MOST = 70;
const receipts = Array.from({ length: MOST }, (_, index) => sha256(Uint8Array.of(index)));
const leaves = receipts.map((receipt) => leafHash(receipt, crypto));

/** RFC 6962 2.1, word for word, over everything each time. */
function naiveRoot(data: readonly Uint8Array[]): Uint8Array {
  if (data.length === 0) return sha256(new Uint8Array(0));
  if (data.length === 1) return sha256(Uint8Array.of(0), data[0] as Uint8Array);
  const k = below(data.length);
  return sha256(Uint8Array.of(1), naiveRoot(data.slice(0, k)), naiveRoot(data.slice(k)));
}

function naivePath(m: number, data: readonly Uint8Array[]): Uint8Array[] {
  if (data.length <= 1) return [];
  const k = below(data.length);
  return m < k
    ? [...naivePath(m, data.slice(0, k)), naiveRoot(data.slice(k))]
    : [...naivePath(m - k, data.slice(k)), naiveRoot(data.slice(0, k))];
}

function naiveSubproof(m: number, data: readonly Uint8Array[], known: boolean): Uint8Array[] {
  if (m === data.length) return known ? [] : [naiveRoot(data)];
  const k = below(data.length);
  return m <= k
    ? [...naiveSubproof(m, data.slice(0, k), known), naiveRoot(data.slice(k))]
    : [...naiveSubproof(m - k, data.slice(k), false), naiveRoot(data.slice(0, k))];
}

function below(length: number): number {
  let k = 1;
  while (k * 2 < length) k *= 2;
  return k;
}

const { nodes, heads } = grow();

function grow() {
  const stored = new Map<string, Uint8Array>();
  const frontier = new TreeFrontier(crypto);
  const roots: TreeHead[] = [{ size: 0, root: frontier.root() }];
  for (const leaf of leaves) {
    for (const { level, index, hash } of frontier.append(leaf)) stored.set(`${level}/${index}`, hash);
    roots.push({ size: frontier.size, root: frontier.root() });
  }
  const read = (level: number, index: number) => {
    const hash = stored.get(`${level}/${index}`);
    assert.ok(hash, `node ${level}/${index} was never completed`);
    return hash;
  };
  return { nodes: read, heads: roots };
}

const head = (size: number) => heads[size] as TreeHead;

test("every root is the RFC's, of the tree that is written and of the one that is made anew to check it", () => {
  const regrown = new RegrownTree(crypto);
  for (let size = 0; size <= MOST; size += 1) {
    const root = toHex(naiveRoot(receipts.slice(0, size)));
    assert.equal(toHex(head(size).root), root, `${size} leaves`);
    assert.deepEqual([regrown.size, toHex(regrown.root())], [size, root], `${size} leaves, made anew`);
    if (size < MOST) regrown.add(receipts[size] as Uint8Array);
  }
});

test("a proof whose hashes are too long or too short proves nothing, and throws nothing", async () => {
  const [from, to] = [5, 8];
  const inclusion = await proveInclusion({ index: from, size: to }, nodes, crypto);
  const consistency = await proveConsistency({ from, to }, nodes, crypto);
  const claim = { index: from, digest: receipts[from] as Uint8Array, head: head(to) };
  for (const change of [(hash: Uint8Array) => hash.slice(1), (hash: Uint8Array) => concatBytes(hash, hash)]) {
    for (const at of inclusion.keys()) {
      const proof = inclusion.with(at, change(inclusion[at] as Uint8Array));
      assert.ok(!checkInclusion({ ...claim, proof }, crypto));
    }
    for (const at of consistency.keys()) {
      const proof = consistency.with(at, change(consistency[at] as Uint8Array));
      assert.ok(!checkConsistency({ older: head(from), newer: head(to), proof }, crypto));
    }
    assert.ok(!checkInclusion({ ...claim, digest: change(claim.digest), proof: inclusion }, crypto));
    const older = { size: 4, root: change(head(4).root) };
    const proof = await proveConsistency({ from: 4, to }, nodes, crypto);
    assert.ok(!checkConsistency({ older, newer: head(to), proof }, crypto));
  }
});

test("the roots of RFC 6962's usual test leaves", () => {
  // The eight inputs that Certificate Transparency's own tests have used since its first implementation.
  const inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
  const frontier = new TreeFrontier(crypto);
  for (const input of inputs) frontier.append(leafHash(fromHex(input) as Uint8Array, crypto));
  assert.equal(toHex(frontier.root()), "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
});

test("every inclusion proof is the RFC's and holds; for another leaf, place, size or root it doesn't", async () => {
  for (let size = 1; size <= MOST; size += 1) {
    for (let index = 0; index < size; index += 1) {
      const proof = await proveInclusion({ index, size }, nodes, crypto);
      assert.deepEqual(proof.map(toHex), naivePath(index, receipts.slice(0, size)).map(toHex));
      const claim = { index, digest: receipts[index] as Uint8Array, head: head(size), proof };
      assert.ok(checkInclusion(claim, crypto));
      const other = (index + 1) % size;
      if (size > 1) {
        assert.ok(!checkInclusion({ ...claim, index: other }, crypto));
        assert.ok(!checkInclusion({ ...claim, digest: receipts[other] as Uint8Array }, crypto));
        assert.ok(!checkInclusion({ ...claim, head: head(size - 1) }, crypto));
      }
      assert.ok(!checkInclusion({ ...claim, proof: [...proof, leaves[0] as Uint8Array] }, crypto));
      if (proof.length > 0) assert.ok(!checkInclusion({ ...claim, proof: proof.slice(1) }, crypto));
    }
  }
});

test("every consistency proof is the RFC's and holds, and no other pair of trees passes with it", async () => {
  for (let to = 0; to <= MOST; to += 1) {
    for (let from = 0; from <= to; from += 1) {
      const proof = await proveConsistency({ from, to }, nodes, crypto);
      if (from > 0) assert.deepEqual(proof.map(toHex), naiveSubproof(from, receipts.slice(0, to), true).map(toHex));
      const claim = { older: head(from), newer: head(to), proof };
      const forge = ({ size, root }: TreeHead) => ({ size, root: sha256(root) });
      assert.ok(checkConsistency(claim, crypto), `${from} → ${to}`);
      assert.ok(!checkConsistency({ ...claim, older: forge(claim.older) }, crypto), `forged ${from} → ${to}`);
      // Every tree begins with nothing, so that from nothing there is nothing to prove.
      assert.equal(checkConsistency({ ...claim, newer: forge(claim.newer) }, crypto), from === 0 && to > 0);
      assert.ok(from === to || !checkConsistency({ older: claim.newer, newer: claim.older, proof }, crypto));
    }
  }
});

test("a bit changed in any proof is found", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: MOST }), fc.nat(), fc.nat(), fc.nat(255), async (to, at, place, bit) => {
      const from = 1 + (at % (to - 1));
      const change = (proof: readonly Uint8Array[]) => {
        const which = place % proof.length;
        const hash = Uint8Array.from(proof[which] as Uint8Array);
        hash[bit >> 3] = (hash[bit >> 3] as number) ^ (1 << (bit & 7));
        return proof.with(which, hash);
      };
      const consistency = await proveConsistency({ from, to }, nodes, crypto);
      assert.ok(!checkConsistency({ older: head(from), newer: head(to), proof: change(consistency) }, crypto));
      const inclusion = await proveInclusion({ index: from, size: to }, nodes, crypto);
      const claim = { index: from, digest: receipts[from] as Uint8Array, head: head(to) };
      assert.ok(!checkInclusion({ ...claim, proof: change(inclusion) }, crypto));
    }),
    { numRuns: 500 },
  );
});

test("a tree goes on from its peaks, and refuses peaks of another size", () => {
  const whole = new TreeFrontier(crypto);
  for (const leaf of leaves.slice(0, 37)) whole.append(leaf);
  const resumed = new TreeFrontier(crypto, { size: whole.size, peaks: whole.peaks });
  for (const tree of [whole, resumed]) for (const leaf of leaves.slice(37)) tree.append(leaf);
  assert.deepEqual(resumed.root(), whole.root());
  assert.throws(() => new TreeFrontier(crypto, { size: 38, peaks: resumed.peaks.slice(0, 2) }), RangeError);
  for (const size of [-1, 1.5, Number.NaN, 2 ** 53]) {
    assert.throws(() => new TreeFrontier(crypto, { size, peaks: [] }), RangeError);
  }
});

test("what can't be proved isn't tried", async () => {
  for (const place of [
    { index: 3, size: 3 },
    { index: -1, size: 3 },
    { index: 0, size: 0 },
    { index: 0.5, size: 3 },
  ]) {
    await assert.rejects(proveInclusion(place, nodes, crypto), RangeError);
    const claim = {
      index: place.index,
      digest: receipts[0] as Uint8Array,
      head: { ...head(3), size: place.size },
      proof: [],
    };
    assert.ok(!checkInclusion(claim, crypto));
  }
  await assert.rejects(proveConsistency({ from: 3, to: 2 }, nodes, crypto), RangeError);
});

test("a count past 2^48 isn't rounded to a power of two", () => {
  assert.equal(levelOf(2 ** 49), 49);
  assert.equal(levelOf(2 ** 49 + 1), null);
});

test("sizes past 32 bits are counted right", () => {
  // Three nodes stand for 2^40 + 1 leaves: the big left one, the single leaf, and the root above them.
  const big = sha256(Uint8Array.of(1));
  const lone = leaves[0] as Uint8Array;
  const root = sha256(Uint8Array.of(1), big, lone);
  const size = 2 ** 40 + 1;
  assert.ok(
    checkInclusion({ index: 2 ** 40, digest: receipts[0] as Uint8Array, head: { size, root }, proof: [big] }, crypto),
  );
  assert.ok(checkConsistency({ older: { size: 2 ** 40, root: big }, newer: { size, root }, proof: [lone] }, crypto));
  assert.ok(!checkConsistency({ older: { size: 2 ** 39, root: big }, newer: { size, root }, proof: [lone] }, crypto));
});
