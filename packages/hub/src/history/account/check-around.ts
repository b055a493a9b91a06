import type { ReceiptCheck } from "@countersign/protocol/records";
import {
  checkInclusion,
  digestOf,
  examineReceipt,
  keyOfDid,
  openCheckpoint,
  proveInclusion,
  type ReceiptFacts,
  type TreeHead,
} from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { type StoredReceipt, StoreError } from "@countersign/store";
import type { RecordReader } from "./record-reader.ts";

const crypto = nodeCrypto();

/**
 * Verifies single receipts against their neighbours in the chain and the tree of the newest checkpoint. It doesn't
 * prove the rest of the ledger, nor whose keys these are: both need the whole ledger.
 */
export interface Surroundings {
  /** null if there is none yet. */
  readonly checkpoint: TreeHead | null;
  check(stored: StoredReceipt): Promise<ReceiptCheck>;
}

export async function openSurroundings(reader: RecordReader): Promise<Surroundings> {
  const newest = await openNewest(reader);
  return {
    checkpoint: newest === "forged" ? null : newest,
    check: async (stored) => {
      const facts = signedFacts(stored);
      if (facts === null) return { signed: false, linked: false, inTree: "failed" };
      const inTree = newest === "forged" ? "failed" : await placeInTree(facts, stored.seq, newest, reader);
      return { signed: true, linked: await isLinked(facts, reader), inTree };
    },
  };
}

/** Verified by the key that signed the checkpoint's receipt, which comes right after it. */
async function openNewest(reader: RecordReader): Promise<TreeHead | null | "forged"> {
  const newest = await reader.newestCheckpoint();
  if (newest === null) return null;
  const carrier = await reader.receiptBy({ seq: newest.size + 1 });
  const facts = carrier && signedFacts(carrier);
  const key = facts && keyOfDid(facts.verificationMethod);
  if (!key) return "forged";
  const opened = await openCheckpoint(newest.note, key, crypto);
  return opened.kind === "checkpoint" ? opened.checkpoint : "forged";
}

/** null if it isn't a receipt or isn't as it was signed. */
function signedFacts({ raw }: StoredReceipt): ReceiptFacts | null {
  const examined = examineReceipt(Buffer.from(raw), crypto, "canonical");
  if (examined.kind === "malformed") return null;
  const { facts, message, signature } = examined;
  const publicKey = keyOfDid(facts.verificationMethod);
  return publicKey !== null && crypto.verify({ publicKey, message, signature }) === true ? facts : null;
}

async function isLinked(facts: ReceiptFacts, reader: RecordReader): Promise<boolean> {
  const { chainId, sequence, hash, previous } = facts;
  const before = sequence === 1 ? null : await neighbour(chainId, sequence - 1, reader);
  const after = await neighbour(chainId, sequence + 1, reader);
  return (before?.hash ?? null) === previous && (after === null || after.previous === hash);
}

/** Compares the receipt's own content, not its row. */
async function neighbour(chainId: string, sequence: number, reader: RecordReader): Promise<ReceiptFacts | null> {
  const stored = await reader.receiptBy({ chainId, sequence });
  const examined = stored && examineReceipt(Buffer.from(stored.raw), crypto, "canonical");
  return examined?.kind === "receipt" ? examined.facts : null;
}

async function placeInTree(
  { hash }: ReceiptFacts,
  seq: number,
  head: TreeHead | null,
  reader: RecordReader,
): Promise<ReceiptCheck["inTree"]> {
  if (head === null || seq > head.size) return "later";
  const index = seq - 1;
  const digest = digestOf(hash) as Uint8Array;
  try {
    const proof = await proveInclusion({ index, size: head.size }, (level, at) => reader.treeNode(level, at), crypto);
    return checkInclusion({ index, digest, head, proof }, crypto) ? "proved" : "failed";
  } catch (cause) {
    // A missing node proves nothing.
    if (cause instanceof StoreError && cause.code === "CORRUPT") return "failed";
    throw cause;
  }
}
