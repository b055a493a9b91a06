import { keyOfDid, type ReceiptCrypto, utf8Bytes } from "../crypto/index.ts";
import { followRotation, type KeyInForce } from "../format/index.ts";
import { examineReceipt, type Fault, type FaultCode, type ReceiptFacts, verifyReceipt } from "../verify/index.ts";

/** What a ledger's keys rest on, as it was signed: its first receipt, and then each that changes the key. */
export type KeyHistory = readonly string[];

/** More changes than a ledger could need: whoever sends more wants something else. */
const MAX_LINE = 1_000;

export type FollowedHistory =
  | {
      readonly kind: "line";
      /** The first first, the one in force last. */
      readonly keys: readonly Uint8Array[];
      /** Of each: the one before it had committed to it. True of the first. */
      readonly committed: readonly boolean[];
      /** Of the root chain. */
      readonly chainId: string;
      readonly issuerId: string;
    }
  /** The index is that of the receipt in the line. */
  | { readonly kind: "broken"; readonly fault: Fault };

/**
 * From the first key to the one in force, each named by the one before it. It proves that whoever had the first key has these too;
 * not whose that is, and not that the ledger doesn't have a later one.
 */
export async function followKeyHistory(line: KeyHistory, crypto: ReceiptCrypto): Promise<FollowedHistory> {
  if (line.length === 0 || line.length > MAX_LINE) return broken("MALFORMED_RECEIPT", 0, `${line.length} receipts`);
  const keys: KeyInForce[] = [];
  const committed = [true];
  let before: ReceiptFacts | null = null;
  for (const [index, text] of line.entries()) {
    const raw = utf8Bytes(text);
    const inForce = keys.at(-1) ?? firstKey(raw, crypto);
    const checked = await verifyReceipt(raw, { crypto, keys: () => inForce, bytes: "canonical" });
    if (!checked.isValid) return { kind: "broken", fault: { ...checked.fault, index } };
    const { facts } = checked;
    const misplaced = before === null ? placeOfFirst(facts) : placeAfter(before, facts);
    if (misplaced !== null) return broken(misplaced, index, `receipt ${facts.sequence} of ${facts.chainId}`);
    if (before === null) keys.push({ publicKey: (inForce as KeyInForce).publicKey, nextKey: facts.nextKey });
    else {
      const publicKey = facts.rotation && inForce && followRotation(facts.rotation, inForce, crypto);
      if (!publicKey || !inForce) return broken("INVALID_ROTATION", index, "a successor that wasn't committed to");
      committed.push(inForce.nextKey !== null);
      keys.push({ publicKey, nextKey: facts.nextKey });
    }
    before = facts;
  }
  const { chainId, issuerId } = before as ReceiptFacts;
  return { kind: "line", keys: keys.map(({ publicKey }) => publicKey), committed, chainId, issuerId };
}

/** The one that it names itself. */
function firstKey(raw: Uint8Array, crypto: ReceiptCrypto): KeyInForce | null {
  const examined = examineReceipt(raw, crypto);
  const publicKey = examined.kind === "malformed" ? null : keyOfDid(examined.facts.verificationMethod);
  return publicKey && { publicKey, nextKey: null };
}

function placeOfFirst({ sequence, parentChainRef, rotation }: ReceiptFacts): FaultCode | null {
  if (sequence !== 1) return "SEQUENCE_GAP";
  if (rotation !== null) return "INVALID_ROTATION";
  return parentChainRef === null ? null : "ANCHOR_MISMATCH";
}

function placeAfter(before: ReceiptFacts, facts: ReceiptFacts): FaultCode | null {
  if (facts.chainId !== before.chainId) return "CHAIN_MISMATCH";
  if (facts.issuerId !== before.issuerId) return "ISSUER_MISMATCH";
  if (facts.sequence <= before.sequence) return "SEQUENCE_GAP";
  // As in a chain: only a change may commit, and where there was a commitment there is one again.
  return facts.rotation !== null && before.nextKey !== null && facts.nextKey === null ? "INVALID_ROTATION" : null;
}

function broken(code: FaultCode, index: number, detail: string): FollowedHistory {
  return { kind: "broken", fault: { code, index, detail } };
}
