import { HubError } from "@countersign/core/errors";
import type { CheckpointView } from "@countersign/protocol/records";
import {
  type ConsistencyProof,
  type InclusionProof,
  PROOF_FORMAT,
  proveConsistency,
  proveInclusion,
  readCheckpoint,
} from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import type { Store } from "../contract/index.ts";
import { receiptKey } from "../ledger/index.ts";

/** What proofs are made from: a store, also one that is only read. */
export type ProofReader = Pick<
  Store,
  "receiptBy" | "treeNode" | "treeHead" | "newestCheckpoint" | "checkpointOf" | "keyLine"
>;

const crypto = nodeCrypto();

/** The newest signed tree, and what its key rests on. */
export async function tellCheckpoint(reader: ProofReader): Promise<CheckpointView> {
  const newest = await reader.newestCheckpoint();
  const read = newest && readCheckpoint(newest.note);
  if (!newest || !read) throw new HubError("NOT_FOUND", "There's no checkpoint yet: one is made within a minute");
  return { size: read.size, root: toBase64(read.root), note: newest.note, line: [...(await reader.keyLine())] };
}

/** That a receipt is in the tree of the newest checkpoint, or of the one of so many receipts. */
export async function proveReceipt(reader: ProofReader, id: string, size?: number): Promise<InclusionProof> {
  const key = receiptKey(id);
  const found = key && (await reader.receiptBy(key));
  if (!found) throw new HubError("NOT_FOUND", "There's no such receipt");
  const checkpoint = await checkpointFor(reader, size);
  if (found.seq > checkpoint.size) {
    const why = `No checkpoint covers receipt ${found.seq} yet`;
    throw new HubError(
      "CONFLICT",
      size === undefined
        ? `${why}: one is made within a minute`
        : `That of ${size} receipts doesn't cover receipt ${found.seq}`,
    );
  }
  const place = { index: found.seq - 1, size: checkpoint.size };
  const proof = await proveInclusion(place, (level, index) => reader.treeNode(level, index), crypto);
  return {
    ...{ format: PROOF_FORMAT, kind: "inclusion", seq: found.seq, receipt: found.raw, proof: proof.map(toBase64) },
    checkpoint: checkpoint.note,
    line: await reader.keyLine(),
  };
}

async function checkpointFor(
  reader: ProofReader,
  size: number | undefined,
): Promise<{ readonly size: number; readonly note: string }> {
  if (size === undefined) return await tellCheckpoint(reader);
  const note = await reader.checkpointOf(size);
  if (note === null) throw new HubError("NOT_FOUND", `There's no checkpoint of ${size} receipts`);
  return { size, note };
}

/** That the ledger of so many receipts has all of the one of fewer as its beginning; by default up to the newest checkpoint. */
export async function proveGrowth(
  reader: ProofReader,
  { from, to: wanted }: { readonly from: number; readonly to?: number | undefined },
): Promise<ConsistencyProof> {
  const to = wanted ?? (await tellCheckpoint(reader)).size;
  if (from > to) throw new HubError("INVALID_PARAMS", `from: ${from} receipts are more than ${to}`);
  const newer = await treeOf(reader, to);
  const older = await treeOf(reader, from);
  const proof = await proveConsistency({ from, to }, (level, index) => reader.treeNode(level, index), crypto);
  return {
    ...{ format: PROOF_FORMAT, kind: "consistency", from: older, to: newer, proof: proof.map(toBase64) },
    line: await reader.keyLine(),
  };
}

async function treeOf(reader: ProofReader, size: number): Promise<ConsistencyProof["from"]> {
  const head = await reader.treeHead(size);
  if (head === null) throw new HubError("NOT_FOUND", `The ledger has fewer than ${size} receipts`);
  const note = await reader.checkpointOf(size);
  return { size, root: toBase64(head.root), ...(note === null ? {} : { note }) };
}

function toBase64(hash: Uint8Array): string {
  return Buffer.from(hash).toString("base64");
}
