import { visible } from "@countersign/protocol/text";
import {
  type ConsistencyProof,
  hashReceipt,
  type InclusionProof,
  type LedgerProof,
  readCheckpoint,
} from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";

/** What a proof says, before anybody has checked it. */
export function proofLines(proof: LedgerProof): string[] {
  return proof.kind === "inclusion" ? inclusionLines(proof) : consistencyLines(proof);
}

function inclusionLines({ seq, receipt, proof, checkpoint }: InclusionProof): string[] {
  const tree = readCheckpoint(checkpoint);
  return [
    `Receipt ${seq} ${hashOf(receipt)}`,
    `is in the record of ${tree?.size ?? "?"} receipts that this checkpoint signs (${proof.length} hashes prove it):`,
    ...noteLines(checkpoint),
  ];
}

function consistencyLines({ from, to, proof }: ConsistencyProof): string[] {
  const tree = ({ size, root, note }: ConsistencyProof["from"]) =>
    note == null ? [`  ${size} receipts, ${visible(root)}: no checkpoint signs it`] : noteLines(note);
  return [
    `The record of ${to.size} receipts has the first ${from.size} unchanged (${proof.length} hashes prove it):`,
    ...tree(from),
    ...tree(to),
  ];
}

function noteLines(note: string): string[] {
  return note
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `  ${visible(line)}`);
}

function hashOf(raw: string): string {
  try {
    return hashReceipt(JSON.parse(raw), nodeCrypto());
  } catch {
    return "(unreadable)";
  }
}
