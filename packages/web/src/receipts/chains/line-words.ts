import { lineOf, type Receipt, type ReceiptLine } from "@countersign/receipts";

export interface ShownLine extends ReceiptLine {
  /** The hash of the previous receipt, as this one states it. */
  readonly previous: string | null;
}

/** Reads a receipt for display, unverified; null if it can't be read. */
export function lineOfReceipt(
  receipt: unknown,
  place: { readonly seq: number; readonly hash: string },
): ShownLine | null {
  try {
    const line = lineOf(receipt as Receipt, place);
    const { previous_receipt_hash: previous } = (receipt as Receipt).credentialSubject.chain;
    return { ...line, previous: typeof previous === "string" ? previous : null };
  } catch (cause) {
    // A required member is missing: not a receipt.
    if (cause instanceof TypeError) return null;
    throw cause;
  }
}

export function lineIn(text: string, seq: number): ShownLine | null {
  try {
    return lineOfReceipt(JSON.parse(text), { seq, hash: "" });
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  "ledger-opened": "The record begins",
  "epoch-opened": "A new epoch: something was lost",
  checkpoint: "Checkpoint of all before it",
  "key-rotated": "The key was changed",
  started: "Started",
  "policy-changed": "Policy changed",
  "config-changed": "Settings changed",
  paused: "Paused",
  resumed: "Went on",
  "token-created": "Token made",
  "token-revoked": "Token revoked",
  "device-claimed": "Device made known",
  "auth-failed": "A wrong token or code",
  revealed: "Somebody looked at what was hidden",
  "notify-on": "Notifications turned on",
  "notify-off": "Notifications turned off",
  "adapter-installed": "Agent connected",
  "adapter-removed": "Agent disconnected",
  "hub-up": "Hub started",
  "hub-down": "Hub stopped",
};

/** Describes a receipt in a few words. */
export function lineWords(line: ReceiptLine): string {
  switch (line.type) {
    case "decided":
    case "preview-decided":
      return `${line.type === "decided" ? "Decided" : "Preview"}: ${line.verdict ?? "?"}${describeDecider(line)}`;
    case "ended":
    case "preview-ended":
      return `${line.type === "ended" ? "Ended" : "Preview ended"}: ${line.error ?? line.status}`;
    default:
      return WORDS[line.type] ?? `${line.type}: ${line.error ?? line.status}`;
  }
}

function describeDecider({ by, person }: ReceiptLine): string {
  if (person !== null) return ` by ${person}`;
  return by === null ? "" : ` by ${by === "policy" ? "the policy" : by}`;
}
