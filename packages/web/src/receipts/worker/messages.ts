import type { LedgerProof, RecordVerdict, Witnessed } from "@countersign/receipts";

/** Access to the hub, so that the data doesn't go through the page's thread. */
export interface HubAccess {
  readonly token: string;
  /** The key of the remembered record. */
  readonly deviceId: string;
}

export type Order =
  | { readonly do: "verify-hub"; readonly hub: HubAccess }
  /** `trust`: a key that the person was given. */
  | { readonly do: "verify-file"; readonly hub: HubAccess; readonly file: File; readonly trust: string | null }
  | { readonly do: "witness"; readonly hub: HubAccess }
  /** The person knows why the record differs: remember the current one. */
  | { readonly do: "forget"; readonly hub: HubAccess }
  | { readonly do: "check-proof"; readonly proof: LedgerProof };

export interface Progress {
  readonly count: number;
  /** Null if unknown, as for lines in a file. */
  readonly of: number | null;
  /** From 0 to 1, if known. */
  readonly fraction: number | null;
}

/** A receipt near a fault, verbatim. */
export interface NearReceipt {
  readonly index: number;
  readonly text: string;
}

export interface Verified {
  readonly what: "hub" | "lines" | "bundle";
  readonly verdict: RecordVerdict;
  /** The receipts around the fault. */
  readonly near: readonly NearReceipt[];
  /** What vouches for the key. */
  readonly vouched: Vouched;
  readonly tookMs: number;
}

export type Vouched =
  /** This browser remembers the key. */
  | { readonly kind: "remembered"; readonly sinceMs: number }
  /** This browser sees the key for the first time and now remembers it. */
  | { readonly kind: "first" }
  /** The person gave the key. */
  | { readonly kind: "given" }
  /** This browser remembers another key. */
  | { readonly kind: "other" }
  | { readonly kind: "nobody" };

export interface WitnessedHub {
  readonly seen: Witnessed;
  /** The remembered did:key of the first receipt. */
  readonly key: string | null;
  readonly sinceMs: number | null;
}

export interface CheckedProofView {
  readonly fault: string | null;
  readonly keys: readonly string[];
  /** The number of hashes checked. */
  readonly hashes: number;
  /** The root of the tree. */
  readonly size: number;
  readonly isSigned: boolean;
}

export type Answer =
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "verified"; readonly verified: Verified }
  | { readonly kind: "witnessed"; readonly witnessed: WitnessedHub }
  | { readonly kind: "checked"; readonly checked: CheckedProofView }
  /** No verdict: nothing to read, or no connection. */
  | { readonly kind: "failed"; readonly message: string };
