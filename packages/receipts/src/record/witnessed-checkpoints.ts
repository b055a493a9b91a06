import { type Checkpoint, openCheckpoint, readCheckpoint } from "../checkpoint/index.ts";
import type { ReceiptCrypto } from "../crypto/index.ts";
import type { TreeHead } from "../merkle-check/index.ts";
import type { Fault } from "../verify/index.ts";
import type { Signers } from "./signers.ts";

/** A note, and what it claims before anybody has looked who signed it. */
export interface Memory {
  readonly note: string;
  readonly claim: Checkpoint;
}

interface Remembered {
  readonly ownMemories: readonly Memory[];
  readonly witnessed: readonly Memory[];
  readonly signers: Signers;
  readonly crypto: ReceiptCrypto;
}

/**
 * The roots were compared on the way; here it is asked who signed them. Of many only the newest: the others say nothing
 * that it doesn't. The index is the first receipt that it doesn't cover.
 */
export async function checkMemories({ ownMemories, witnessed, signers, crypto }: Remembered): Promise<Fault | null> {
  const [own, seen] = [largestOf(ownMemories), largestOf(witnessed)];
  if (own !== undefined && !(await isSignedByOne(own, signers.ledgerKeys, crypto))) {
    const detail = `its own checkpoint of ${own.claim.size} receipts isn't signed by its key`;
    return { code: "ANCHOR_MISMATCH", index: own.claim.size, detail };
  }
  if (seen !== undefined && !(await isSignedByOne(seen, signers.ledgerKeys, crypto))) {
    const detail = `what the witness saw (${seen.claim.size} receipts) was signed by another key than these`;
    return { code: "FORKED", index: 0, detail };
  }
  return null;
}

/** null: one of them is no checkpoint. */
export function memoriesOf(notes: readonly string[]): Memory[] | null {
  const memories: Memory[] = [];
  for (const note of notes) {
    const claim = readCheckpoint(note);
    if (claim === null) return null;
    memories.push({ note, claim });
  }
  return memories;
}

/**
 * Those of the ledger whose root chain this is. An origin is the installation and its epoch, `countersign:<uuid>/epoch-<n>`; the
 * chain is the installation's `:root`.
 */
export function memoriesAbout(rootChainId: string, memories: readonly Memory[]): Memory[] {
  const installation = rootChainId.replace(/:root$/, "");
  return memories.filter(({ claim: { origin } }) => origin === installation || origin.startsWith(`${installation}/`));
}

/**
 * What is remembered since the ledger last owned up to a loss: an epoch is opened by a receipt that says what a witness
 * remembered of the one before.
 */
export function ofNewestEpoch(memories: readonly Memory[]): Memory[] {
  const newest = memories.reduce((most, { claim }) => Math.max(most, epochIn(claim.origin)), 0);
  return memories.filter(({ claim }) => epochIn(claim.origin) === newest);
}

function epochIn(origin: string): number {
  return Number(/\/epoch-(\d{1,9})$/.exec(origin)?.[1] ?? 1);
}

export function headsOf(memories: readonly Memory[]): TreeHead[] {
  return memories.map(({ claim }) => claim);
}

export function largestOf(memories: readonly Memory[]): Memory | undefined {
  return memories.reduce<Memory | undefined>(
    (largest, each) => (largest === undefined || each.claim.size >= largest.claim.size ? each : largest),
    undefined,
  );
}

/** Whether one of these keys signed it. */
export async function isSignedByOne(
  { note }: Memory,
  keys: readonly Uint8Array[],
  crypto: ReceiptCrypto,
): Promise<boolean> {
  for (const key of keys) if ((await openCheckpoint(note, key, crypto)).kind === "checkpoint") return true;
  return false;
}
