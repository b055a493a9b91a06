import { type Observation, type ShownLedger, type Witnessed, witnessLedger } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { recall, remember } from "./ledger-memory.ts";

/** Holds the hub's ledger against what this device remembers of it. */
export function witnessHub(
  ledger: ShownLedger,
  { file, token }: { readonly file: string; readonly token: string },
): Promise<Witnessed> {
  const shelf = {
    recall: () => recall(file, token),
    remember: (memory: Parameters<typeof remember>[2]) => remember(file, token, memory),
  };
  return witnessLedger(ledger, shelf, nodeCrypto());
}

type Alarm = Extract<Observation, { readonly kind: "alarm" }>;

/** For people: what it means, and what to do. */
export function alarmText({ code, detail }: Pick<Alarm, "code" | "detail">): string {
  return `THE RECORD ISN'T WHAT IT WAS (${code}): ${detail}. Trust nothing it says before you know why: countersign receipts verify --witness`;
}
