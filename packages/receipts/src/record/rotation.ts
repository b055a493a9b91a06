import type { ReceiptFacts } from "../verify/examine.ts";

/** A receipt that changes the key; both by their fingerprints. */
export interface RecordedRotation {
  readonly index: number;
  readonly from: string;
  readonly to: string;
}

/** One or none. */
export function rotationsIn({ rotation }: ReceiptFacts, index: number): RecordedRotation[] {
  return rotation === null ? [] : [{ index, from: rotation.old_key_fingerprint, to: rotation.new_key_fingerprint }];
}
