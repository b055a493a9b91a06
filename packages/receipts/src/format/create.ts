import { CanonicalError } from "../canonical/index.ts";
import { utf8Bytes } from "../crypto/index.ts";
import { isBelow, riskFloor } from "./action-types.ts";
import { type CanonicalReceipt, canonicalReceipt } from "./canonical-receipt.ts";
import { MAX_RECEIPT_BYTES, ReceiptError } from "./error.ts";
import { type Digest, hashBytes, type Sha256Text } from "./hash.ts";
import { CONTEXT, draftShape, type ReceiptDraft, TYPE, type UnsignedReceipt, VERSION } from "./receipt.ts";
import { FORMAT } from "./runtime.ts";

/** The last receipt of a chain, which the next one names. */
export interface ReceiptHead {
  readonly sequence: number;
  readonly hash: Sha256Text;
}

/** In its place in a chain, and fixed: the next one can be linked to its hash while this one is being signed. */
export interface UnsealedReceipt {
  readonly receipt: UnsignedReceipt;
  /** What is signed. */
  readonly message: Uint8Array;
  /** How many bytes of the message stand before the proof. */
  readonly proofAt: number;
  readonly hash: Sha256Text;
  readonly head: ReceiptHead;
}

export interface ChainPlace {
  readonly chainId: string;
  /** null: the chain begins here. */
  readonly head: ReceiptHead | null;
}

/** A receipt of a draft at the end of a chain. Throws ReceiptError for what the format can't carry. */
export function createReceipt(draft: ReceiptDraft, place: ChainPlace, crypto: Digest): UnsealedReceipt {
  const { receipt, before, after } = canonicalDraft(draft, place);
  // Members come with a comma before them, the first one too; before a proof there are always some.
  const start = `{${before.slice(1)}`;
  const message = utf8Bytes(`${start}${after}}`);
  const isAscii = message.length === start.length + after.length + 1;
  if (message.length > MAX_RECEIPT_BYTES) throw new ReceiptError("OVERSIZE", `${message.length} bytes`);
  const hash = hashBytes(message, crypto);
  const head = { sequence: receipt.credentialSubject.chain.sequence, hash };
  return { receipt, message, proofAt: isAscii ? start.length : utf8Bytes(start).length, hash, head };
}

/** The receipt of a draft and its text, before and after where its proof will stand. Throws ReceiptError. */
export function canonicalDraft(
  draft: ReceiptDraft,
  place: ChainPlace,
): { readonly receipt: UnsignedReceipt } & Pick<CanonicalReceipt, "before" | "after"> {
  checkDraft(draft);
  const receipt = fill(draft, place);
  return { receipt, ...toText(receipt) };
}

function checkDraft(draft: ReceiptDraft): void {
  const at = draftShape.check(draft, "write");
  if (at !== null) throw new ReceiptError("INVALID_DRAFT", `the draft doesn't fit at ${at === "" ? "its root" : at}`);
  if (draft.status !== undefined && draft.terminal !== true) {
    throw new ReceiptError("INVALID_DRAFT", "only a terminal receipt has a status");
  }
  const { type, risk_level: risk } = draft.credentialSubject.action;
  const floor = riskFloor(type);
  if (floor !== null && isBelow(risk, floor)) {
    throw new ReceiptError("RISK_BELOW_FLOOR", `${type} is at least ${floor}, not ${risk}`);
  }
}

function fill({ terminal, status, ...draft }: ReceiptDraft, { chainId, head }: ChainPlace): UnsignedReceipt {
  return {
    "@context": CONTEXT,
    id: draft.id,
    type: TYPE,
    version: VERSION,
    issuer: { ...draft.issuer, runtime: { ...draft.issuer.runtime, format: FORMAT } },
    issuanceDate: draft.issuanceDate,
    credentialSubject: {
      ...draft.credentialSubject,
      chain: {
        sequence: (head?.sequence ?? 0) + 1,
        previous_receipt_hash: head?.hash ?? null,
        chain_id: chainId,
        ...(terminal === undefined ? {} : { terminal }),
        ...(status === undefined ? {} : { status }),
      },
    },
  };
}

function toText(receipt: UnsignedReceipt): CanonicalReceipt {
  try {
    return canonicalReceipt(receipt);
  } catch (cause) {
    if (cause instanceof CanonicalError) throw new ReceiptError("INVALID_DRAFT", cause.message, { cause });
    throw cause;
  }
}
