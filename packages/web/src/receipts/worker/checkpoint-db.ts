import type { LedgerMemory } from "@countersign/receipts";
import { indexedDbStore } from "../../hub/index.ts";

/** What this browser remembers of a hub's record. */
export interface Remembered {
  /** The did:key of its first receipt. */
  readonly key: string;
  readonly sinceMs: number;
  /** The newest checkpoint seen; null before the first. */
  readonly memory: LedgerMemory | null;
}

const within = indexedDbStore("countersign-record", "remembered");

/** Keyed by device id: pairing again starts over. In a database of its own, since workers write it. */
export async function recall(deviceId: string): Promise<Remembered | null> {
  return ((await within("readonly", (store) => store.get(deviceId))) as Remembered | undefined) ?? null;
}

export async function remember(deviceId: string, remembered: Remembered): Promise<void> {
  await within("readwrite", (store) => store.put(remembered, deviceId));
}

/** Stores the first record; false if one is remembered already. */
export async function rememberFirst(deviceId: string, remembered: Remembered): Promise<boolean> {
  try {
    await within("readwrite", (store) => store.add(remembered, deviceId));
    return true;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "ConstraintError") return false;
    throw cause;
  }
}

export async function forget(deviceId: string): Promise<void> {
  await within("readwrite", (store) => store.delete(deviceId));
}
