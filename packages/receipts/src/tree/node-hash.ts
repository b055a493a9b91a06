import { concatBytes } from "../crypto/bytes.ts";
import type { Digest } from "../receipt/hash.ts";

/** RFC 6962 2.1: the first byte keeps a leaf from being passed off as two joined nodes, and the other way round. */
const LEAF = Uint8Array.of(0x00);
const NODE = Uint8Array.of(0x01);

/** Of the 32 bytes of a receipt's hash: every receipt, in ledger order, is a leaf. */
export function leafHash(receiptDigest: Uint8Array, crypto: Digest): Uint8Array {
  return crypto.sha256(concatBytes(LEAF, receiptDigest));
}

export function joinNodes(left: Uint8Array, right: Uint8Array, crypto: Digest): Uint8Array {
  return crypto.sha256(concatBytes(NODE, left, right));
}

/** The root of no leaves: SHA-256 of nothing. */
export function emptyRoot(crypto: Digest): Uint8Array {
  return crypto.sha256(new Uint8Array(0));
}
