import { sign } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { Sealer } from "@countersign/receipts";
import type { SealOrder, SealReply } from "./sealing-thread.ts";

/** By key: to write a key's name takes longer than to sign. */
const sealers = new Map<string, Sealer>();

parentPort?.on("message", (order: SealOrder) => {
  let reply: SealReply;
  try {
    reply = { id: order.id, raws: sealAll(order) };
  } catch (error) {
    reply = { id: order.id, error };
  }
  parentPort?.postMessage(reply);
});

function sealAll({ messages, lengths, proofsAt, dates, ...keys }: SealOrder): string[] {
  const sealer = sealerOf(keys);
  let from = 0;
  return lengths.map((length, at) => {
    const message = messages.subarray(from, from + length);
    from += length;
    const raw = sealer.sealNow({ message, proofAt: proofsAt[at] ?? 0, receipt: { issuanceDate: dates[at] ?? "" } });
    return Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString();
  });
}

function sealerOf({ key, publicKey }: Pick<SealOrder, "key" | "publicKey">): Sealer {
  const name = Buffer.from(publicKey).toString("hex");
  const known = sealers.get(name);
  if (known) return known;
  const sealer = new Sealer({ publicKey, sign: (message) => sign(null, message, key) });
  // One ledger has few keys in a process's life; many ledgers in one process are a test.
  if (sealers.size >= MOST_KEYS) sealers.clear();
  sealers.set(name, sealer);
  return sealer;
}

const MOST_KEYS = 64;
