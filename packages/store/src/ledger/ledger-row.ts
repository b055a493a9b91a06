import type { StoredReceipt } from "./check-ledger.ts";

/** A receipt with all that it is found by, for a mirror of the ledger elsewhere. */
export interface LedgerRow extends StoredReceipt {
  readonly type: string;
  readonly sessionId: string | null;
  readonly proposalKey: string | null;
  readonly atMs: number;
  /** Whose frame; null: the hub's own word, or the recorder's. */
  readonly emitter: string | null;
  readonly idempotencyKey: string | null;
}
