import type { Digest } from "../format/index.ts";

/** RFC 6962 2.1: the first byte keeps a leaf from being passed off as two joined nodes, and the other way round. */
const LEAF = 0x00;
const NODE = 0x01;

/** Used for every pair of hashes: there is one for each receipt, and memory of its own would cost it more than its hash does. */
const joined = new Uint8Array(1 + 2 * 32);

/** Of the 32 bytes of a receipt's hash: every receipt, in ledger order, is a leaf. */
export function leafHash(receiptDigest: Uint8Array, crypto: Digest): Uint8Array {
  const bytes = new Uint8Array(1 + receiptDigest.length);
  bytes[0] = LEAF;
  bytes.set(receiptDigest, 1);
  return crypto.sha256(bytes);
}

export function joinNodes(left: Uint8Array, right: Uint8Array, crypto: Digest): Uint8Array {
  const length = 1 + left.length + right.length;
  const bytes = length === joined.length ? joined : new Uint8Array(length);
  bytes[0] = NODE;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  return crypto.sha256(bytes);
}

/** The root of no leaves: SHA-256 of nothing. */
export function emptyRoot(crypto: Digest): Uint8Array {
  return crypto.sha256(new Uint8Array(0));
}
