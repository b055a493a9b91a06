import type { ReceiptDraft } from "@countersign/receipts";

/** A receipt of what another process says happened; the ledger adds whose ledger it is, and its place in it. */
export type EmittedDraft = Omit<ReceiptDraft, "issuer" | "terminal" | "status"> & {
  readonly issuer: Omit<ReceiptDraft["issuer"], "id">;
};

/** One emitter's frame, as it goes into the ledger: all of its receipts or none. */
export interface FrameRecord {
  /** Whose frame: idempotency keys of different emitters have nothing to do with each other. */
  readonly emitter: string;
  /** Which sub-chain, after the installation: never a chain that the hub writes to. */
  readonly chain: `uid:${number}` | `sandbox:${string}`;
  readonly idempotencyKey: string | null;
  readonly atMs: number;
  /** What came first (drops), then what the frame is about. */
  readonly receipts: readonly [...EmittedDraft[], EmittedDraft];
  /** How many chains this emitter may begin in a day. */
  readonly chainsPerDay: number;
}

/** The frame's own receipt, durable. `repeated`: under this key it was there already, and nothing was added. */
export type Recorded =
  | { readonly kind: "recorded" | "repeated"; readonly seq: number; readonly hash: string }
  | { readonly kind: "refused"; readonly refusal: "TOO_MANY_CHAINS" };
