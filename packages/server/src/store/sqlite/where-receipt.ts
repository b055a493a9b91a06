import { digestOf, leafHash } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import type { ReceiptKey } from "../store.ts";

/** An id's own time and the receipt's are taken from two clocks a moment apart; one may have been put back. */
const HOUR_MS = 3_600_000;

const crypto = nodeCrypto();

/** The condition that one receipt fulfils, and its values. */
export function whereReceipt(key: ReceiptKey): readonly [where: string, ...values: (string | number | Uint8Array)[]] {
  if ("hash" in key) {
    const digest = digestOf(key.hash);
    if (digest === null) return ["FALSE"];
    const leaf = leafHash(digest, crypto);
    return ["seq = (SELECT idx + 1 FROM tree_node WHERE level = 0 AND hash = ? ORDER BY id DESC LIMIT 1)", leaf];
  }
  if ("seq" in key) return ["seq = ?", key.seq];
  if ("chainId" in key) return ["chain_id = ? AND chain_seq = ?", key.chainId, key.sequence];
  // Ids aren't indexed, but ours begin with the time: only receipts of about then are looked at.
  const atMs = timeIn(key.id);
  return [
    "at_ms BETWEEN ? AND ? AND instr(raw, ?) > 0",
    atMs - HOUR_MS,
    atMs + HOUR_MS,
    `"id":${JSON.stringify(key.id)}`,
  ];
}

/** The first 48 bits of a UUIDv7 are the milliseconds since 1970 (RFC 9562 5.7). */
function timeIn(id: string): number {
  const [, high, low] = /^urn:receipt:([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return Number.parseInt(`${high ?? 0}${low ?? 0}`, 16);
}
