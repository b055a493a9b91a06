import type { Digest } from "../format/index.ts";

// RFC 6962 2.1 once more, for whoever checks: what writes the tree has a form of its own, so that a fault in one isn't a fault in both.
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const HASH_BYTES = 32;

/** Of a receipt's 32 bytes. */
export function hashOfLeaf(receiptDigest: Uint8Array, crypto: Digest): Uint8Array {
  const whole = new Uint8Array(LEAF.length + receiptDigest.length);
  whole.set(LEAF);
  whole.set(receiptDigest, LEAF.length);
  return crypto.sha256(whole);
}

/** Of two nodes. `room` is for whoever has many of them: memory of its own would cost each more than its hash does. */
export function hashOfPair(left: Uint8Array, right: Uint8Array, crypto: Digest, room = roomForPair()): Uint8Array {
  room.set(NODE);
  room.set(left, NODE.length);
  room.set(right, NODE.length + HASH_BYTES);
  return crypto.sha256(room);
}

export function roomForPair(): Uint8Array {
  return new Uint8Array(NODE.length + 2 * HASH_BYTES);
}

/** What somebody else wrote may be anything. */
export function isHash(bytes: Uint8Array): boolean {
  return bytes.length === HASH_BYTES;
}
