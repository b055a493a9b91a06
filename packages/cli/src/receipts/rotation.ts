import type { ReceiptFacts } from "@countersign/receipts";

/** A receipt that changes the key; both by their fingerprints. */
export interface Rotation {
  readonly index: number;
  readonly from: string;
  readonly to: string;
}

/** One or none. */
export function rotationsIn({ rotation }: ReceiptFacts, index: number): Rotation[] {
  return rotation === null ? [] : [{ index, from: rotation.old_key_fingerprint, to: rotation.new_key_fingerprint }];
}
