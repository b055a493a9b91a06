import { type FaultCode, hashReceipt, LedgerVerifier, ownDidKey } from "@countersign/receipts";
import { nodeCrypto, pooledNodeCrypto } from "@countersign/receipts/node";
import type { LedgerHead } from "./entries.ts";

/** A receipt as the store has it. */
export interface StoredReceipt {
  readonly seq: number;
  /** Canonical JSON, proof included. */
  readonly raw: string;
}

export type LedgerCheck =
  | { readonly whole: true; readonly count: number; readonly head: LedgerHead | null }
  | { readonly whole: false; readonly code: FaultCode; readonly seq: number; readonly detail: string };

/**
 * Checks every link, signature and checkpoint of what is stored. Finding nothing proves that nothing inside was changed, removed or
 * reordered since it was signed; not whose key that was, nor that no tail was cut off. `each` sees all that are looked at, a few of
 * them before it is known whether they hold.
 */
export async function checkLedger(
  receipts: AsyncIterable<StoredReceipt>,
  each?: (receipt: StoredReceipt) => void,
): Promise<LedgerCheck> {
  const verifier = new LedgerVerifier({ crypto: pooledNodeCrypto(), keys: ownDidKey, bytes: "canonical" });
  let last: StoredReceipt | undefined;
  for await (const receipt of receipts) {
    if (receipt.seq !== (last?.seq ?? 0) + 1) {
      return {
        whole: false,
        code: "SEQUENCE_GAP",
        seq: receipt.seq,
        detail: `receipt ${receipt.seq} follows ${last?.seq ?? 0}`,
      };
    }
    last = receipt;
    await verifier.feed(Buffer.from(receipt.raw));
    if (verifier.fault) break;
    each?.(receipt);
  }
  const { fault, count } = await verifier.finish();
  if (fault) return { whole: false, code: fault.code, seq: fault.index + 1, detail: fault.detail };
  const head = last ? { seq: last.seq, hash: hashReceipt(JSON.parse(last.raw), nodeCrypto()) } : null;
  return { whole: true, count, head };
}
