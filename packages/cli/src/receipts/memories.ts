import type { Fault } from "@countersign/receipts";
import type { Signers } from "./signers.ts";
import { isSignedByOne, largestOf, type Memory } from "./witness.ts";

interface Remembered {
  readonly ownMemories: readonly Memory[];
  readonly witnessed: readonly Memory[];
  readonly signers: Signers;
}

/**
 * The roots were compared on the way; here it is asked who signed them. Of many only the newest: the others say nothing
 * that it doesn't. The index is the first receipt that it doesn't cover.
 */
export async function checkMemories({ ownMemories, witnessed, signers }: Remembered): Promise<Fault | null> {
  const [own, seen] = [largestOf(ownMemories), largestOf(witnessed)];
  if (own !== undefined && !(await isSignedByOne(own, signers.keys))) {
    const detail = `its own checkpoint of ${own.claim.size} receipts isn't signed by its key`;
    return { code: "ANCHOR_MISMATCH", index: own.claim.size, detail };
  }
  if (seen !== undefined && !(await isSignedByOne(seen, signers.keys))) {
    const detail = `what the witness saw (${seen.claim.size} receipts) was signed by another key than these`;
    return { code: "FORKED", index: 0, detail };
  }
  return null;
}
