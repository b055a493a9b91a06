import { equalBytes } from "../crypto/index.ts";
import type { Digest } from "../format/index.ts";
import { isCount } from "../merkle/index.ts";
import { RegrownTree } from "./recompute-tree.ts";
import { hashOfLeaf, hashOfPair, isHash } from "./tree-hash.ts";

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

export interface InclusionClaim {
  readonly index: number;
  /** The 32 bytes of the receipt's hash. */
  readonly digest: Uint8Array;
  readonly head: TreeHead;
  readonly proof: readonly Uint8Array[];
}

export interface ConsistencyClaim {
  readonly older: TreeHead;
  readonly newer: TreeHead;
  readonly proof: readonly Uint8Array[];
}

/** RFC 9162 2.1.3.2 (the algorithm that RFC 6962 leaves to the reader). True: this receipt is at this place of that tree. */
export function checkInclusion(claim: InclusionClaim, crypto: Digest): boolean {
  const { index, head, proof } = claim;
  if (!isCount(index) || !isCount(head.size) || index >= head.size) return false;
  if (!isHash(claim.digest) || !proof.every(isHash)) return false;
  let at = index;
  let last = head.size - 1;
  let hash = hashOfLeaf(claim.digest, crypto);
  for (const sibling of proof) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = hashOfPair(sibling, hash, crypto);
      // A node without a right sibling moves up unchanged until it has a left one.
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, half(last)];
    } else {
      hash = hashOfPair(hash, sibling, crypto);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && equalBytes(hash, head.root);
}

/** RFC 9162 2.1.4.2. True: the newer tree has the older one's leaves, unchanged, as its first. */
export function checkConsistency({ older, newer, proof }: ConsistencyClaim, crypto: Digest): boolean {
  if (!isCount(older.size) || !isCount(newer.size) || older.size > newer.size) return false;
  if (![older.root, ...proof].every(isHash)) return false;
  if (older.size === newer.size) return proof.length === 0 && equalBytes(older.root, newer.root);
  if (older.size === 0) return proof.length === 0 && equalBytes(older.root, new RegrownTree(crypto).root());
  // A size that is a power of two is a node of the newer tree, and its root is known: the proof leaves it out.
  return follow({ older, newer, proof: isPowerOfTwo(older.size) ? [older.root, ...proof] : proof }, crypto);
}

function follow({ older, newer, proof }: ConsistencyClaim, crypto: Digest): boolean {
  const [first, ...rest] = proof;
  if (first === undefined) return false;
  let at = older.size - 1;
  let last = newer.size - 1;
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let olderHash = first;
  let newerHash = first;
  for (const each of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      olderHash = hashOfPair(each, olderHash, crypto);
      newerHash = hashOfPair(each, newerHash, crypto);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, half(last)];
    } else {
      newerHash = hashOfPair(newerHash, each, crypto);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && equalBytes(olderHash, older.root) && equalBytes(newerHash, newer.root);
}

/** Of a size above 0. */
function isPowerOfTwo(size: number): boolean {
  let rest = size;
  while (rest % 2 === 0) rest /= 2;
  return rest === 1;
}

/** Not by shifting: sizes may go past 32 bits. */
function half(value: number): number {
  return Math.floor(value / 2);
}
