import { readFileSync, statSync } from "node:fs";
import { type Checkpoint, openCheckpoint, readCheckpoint, type TreeHead } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { unreadable } from "./unreadable.ts";

/** A note, and what it claims before anybody has looked who signed it. */
export interface Memory {
  readonly note: string;
  readonly claim: Checkpoint;
}

const MAX_WITNESS_BYTES = 256 * 1024 * 1024;

/** A witness's file: a note as it is, or one a line, each as a JSON string. What a crash left of a last line is passed over. */
export function readWitness(path: string): Memory[] {
  const text = readText(path);
  const whole = readCheckpoint(text);
  if (whole !== null) return [{ note: text, claim: whole }];
  const lines = text.split("\n");
  const torn = lines.pop() ?? "";
  const memories = memoriesOf(lines.filter((line) => line !== "").map(noteIn));
  if (memories === null) throw unreadable(`${path} has a line that is no checkpoint, so it is no witness.`);
  if (memories.length === 0 && torn !== "") throw unreadable(`${path} holds no checkpoint.`);
  return memories;
}

function readText(path: string): string {
  try {
    if (statSync(path).size > MAX_WITNESS_BYTES) throw unreadable(`${path} is larger than ${MAX_WITNESS_BYTES} bytes.`);
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw unreadable(`The witness ${path} can't be read (${cause.message}).`, cause);
  }
}

function noteIn(line: string): string {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? value : "";
  } catch (cause) {
    if (cause instanceof SyntaxError) return "";
    throw cause;
  }
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
export async function isSignedByOne({ note }: Memory, keys: readonly Uint8Array[]): Promise<boolean> {
  for (const key of keys) if ((await openCheckpoint(note, key, nodeCrypto())).kind === "checkpoint") return true;
  return false;
}
