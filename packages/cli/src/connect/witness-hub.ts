import { type LedgerMemory, lookAgain, type Sighting } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { recall, remember } from "./ledger-memory.ts";

/** How a hub is asked, over whatever connection there is. */
export interface Ledger {
  /** null: it has no checkpoint yet. */
  checkpoint(): Promise<LedgerMemory | null>;
  prove(sizes: { readonly from: number; readonly to: number }): Promise<readonly string[]>;
}

export type Witnessed = Sighting | { readonly kind: "none" };

/** Holds the hub's ledger against what this device remembers of it, and remembers it where it has only grown. */
export async function witnessHub(
  ledger: Ledger,
  { file, token }: { readonly file: string; readonly token: string },
): Promise<Witnessed> {
  // First: whatever the hub shows after this is at least as new, if it is honest.
  const memory = recall(file, token);
  const shown = await ledger.checkpoint();
  if (shown === null) return noneShown(memory);
  const sighting = await lookAgain(memory, shown, { crypto: nodeCrypto(), prove: (sizes) => ledger.prove(sizes) });
  if (sighting.kind === "kept" && sighting.how !== "same") remember(file, token, sighting.memory);
  return sighting;
}

/** A ledger that had a checkpoint has one for ever. */
function noneShown(memory: LedgerMemory | null): Witnessed {
  if (memory === null) return { kind: "none" };
  const detail = "a checkpoint is remembered, and the hub shows none";
  return { kind: "alarm", code: "TRUNCATED", detail, remembered: 0, shown: 0 };
}

type Alarm = Extract<Sighting, { readonly kind: "alarm" }>;

/** For people: what it means, and what to do. */
export function alarmText({ code, detail }: Pick<Alarm, "code" | "detail">): string {
  return `THE RECORD ISN'T WHAT IT WAS (${code}): ${detail}. Trust nothing it says before you know why: countersign receipts verify --witness`;
}
