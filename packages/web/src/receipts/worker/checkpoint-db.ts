import type { LedgerMemory } from "@countersign/receipts";
import { indexedDbStore } from "../../hub/index.ts";

/** What this browser remembers of a hub's record. */
export interface Remembered {
  /** did:key that it began with. */
  readonly key: string;
  readonly sinceMs: number;
  /** The newest checkpoint that was seen; null before the first. */
  readonly memory: LedgerMemory | null;
}

const within = indexedDbStore("countersign-record", "remembered");

/** By the device's id: who pairs anew begins anew. In a database of its own, since workers write it. */
export async function recall(deviceId: string): Promise<Remembered | null> {
  return ((await within("readonly", (store) => store.get(deviceId))) as Remembered | undefined) ?? null;
}

export async function remember(deviceId: string, remembered: Remembered): Promise<void> {
  await within("readwrite", (store) => store.put(remembered, deviceId));
}

/** False: something is remembered already, and stays. */
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
