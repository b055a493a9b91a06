import type { ReceiptCrypto } from "../crypto/index.ts";
import { type LedgerMemory, type Observation, refreshCheckpoint } from "./refresh-checkpoint.ts";

/** How a hub is asked, over whatever connection there is. */
export interface ShownLedger {
  /** null: it has no checkpoint yet. */
  checkpoint(): Promise<LedgerMemory | null>;
  prove(sizes: { readonly from: number; readonly to: number }): Promise<readonly string[]>;
}

/** Where a device keeps what it remembers of that hub. */
export interface CheckpointStore {
  recall(): LedgerMemory | null | Promise<LedgerMemory | null>;
  remember(memory: LedgerMemory): void | Promise<void>;
}

export type Witnessed = Observation | { readonly kind: "none" };

/** Holds the hub's ledger against what this device remembers of it, and remembers it where it has only grown. */
export async function witnessLedger(
  ledger: ShownLedger,
  shelf: CheckpointStore,
  crypto: ReceiptCrypto,
): Promise<Witnessed> {
  // First: whatever the hub shows after this is at least as new, if it is honest.
  const memory = await shelf.recall();
  const shown = await ledger.checkpoint();
  if (shown === null) return noneShown(memory);
  const sighting = await refreshCheckpoint(memory, shown, { crypto, prove: (sizes) => ledger.prove(sizes) });
  if (sighting.kind === "kept" && sighting.how !== "same") await shelf.remember(sighting.memory);
  return sighting;
}

/** A ledger that had a checkpoint has one for ever. */
function noneShown(memory: LedgerMemory | null): Witnessed {
  if (memory === null) return { kind: "none" };
  const detail = "a checkpoint is remembered, and the hub shows none";
  return { kind: "alarm", code: "TRUNCATED", detail, remembered: 0, shown: 0 };
}
