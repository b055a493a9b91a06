import type { ReceiptFacts } from "../verify/index.ts";

/** A receipt that changes the key; both by their fingerprints. */
export interface RecordedRotation {
  readonly index: number;
  readonly from: string;
  readonly to: string;
  /** The chain had committed to the new key beforehand. False: whoever had the old key could name any. */
  readonly isCommitted: boolean;
}

/** The changes of the key in receipts whose chains a judge has checked. */
export class Rotations {
  readonly found: RecordedRotation[] = [];
  /** Chains that have committed to the key that may follow. */
  readonly #committed = new Set<string>();

  note({ rotation, chainId, sequence, nextKey }: ReceiptFacts, index: number): void {
    if (rotation !== null) {
      const { old_key_fingerprint: from, new_key_fingerprint: to } = rotation;
      this.found.push({ index, from, to, isCommitted: this.#committed.has(chainId) });
    }
    if (rotation === null && sequence !== 1) return;
    if (nextKey === null) this.#committed.delete(chainId);
    else this.#committed.add(chainId);
  }
}
