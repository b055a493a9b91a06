import type { LedgerProof, RecordVerdict, Witnessed } from "@countersign/receipts";

/** How the worker reaches the hub itself, so that nothing of it goes through the page's own thread. */
export interface HubAccess {
  readonly token: string;
  /** Under which this browser keeps what it remembers of the hub. */
  readonly deviceId: string;
}

export type Order =
  | { readonly do: "verify-hub"; readonly hub: HubAccess }
  /** `trust`: a key that somebody gave the person. */
  | { readonly do: "verify-file"; readonly hub: HubAccess; readonly file: File; readonly trust: string | null }
  | { readonly do: "witness"; readonly hub: HubAccess }
  /** Somebody knows why the record is another, and has this one remembered instead. */
  | { readonly do: "forget"; readonly hub: HubAccess }
  | { readonly do: "check-proof"; readonly proof: LedgerProof };

export interface Progress {
  readonly count: number;
  /** null: not known, as of lines in a file. */
  readonly of: number | null;
  /** From 0 to 1, where that is known. */
  readonly fraction: number | null;
}

/** A receipt near a fault, as it stands there. */
export interface NearReceipt {
  readonly index: number;
  readonly text: string;
}

export interface Verified {
  readonly what: "hub" | "lines" | "bundle";
  readonly verdict: RecordVerdict;
  /** Those around the fault. */
  readonly near: readonly NearReceipt[];
  /** Whose word the key rests on. */
  readonly vouched: Vouched;
  readonly tookMs: number;
}

export type Vouched =
  /** The key that this browser remembers, and since when. */
  | { readonly kind: "remembered"; readonly sinceMs: number }
  /** The first time that this browser sees it: now it is remembered. */
  | { readonly kind: "first" }
  /** The key that the person gave. */
  | { readonly kind: "given" }
  /** Another key is remembered. */
  | { readonly kind: "other" }
  | { readonly kind: "nobody" };

export interface WitnessedHub {
  readonly seen: Witnessed;
  /** did:key that the record began with, as it is remembered. */
  readonly key: string | null;
  readonly sinceMs: number | null;
}

export interface CheckedProofView {
  readonly fault: string | null;
  readonly keys: readonly string[];
  /** How many hashes it took. */
  readonly hashes: number;
  /** Of the tree that it ends in. */
  readonly size: number;
  readonly isSigned: boolean;
}

export type Answer =
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "verified"; readonly verified: Verified }
  | { readonly kind: "witnessed"; readonly witnessed: WitnessedHub }
  | { readonly kind: "checked"; readonly checked: CheckedProofView }
  /** It can't be told: nothing to read, no connection. */
  | { readonly kind: "failed"; readonly message: string };
