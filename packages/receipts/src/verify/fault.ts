import { type Malformed, type MalformedReason, NEWEST_VERSION } from "../format/index.ts";
import type { ReceiptFacts } from "./check-receipt.ts";

/**
 * What can be wrong with a record. In this order: of two faults of one receipt the one that comes first here is named.
 * The identity of a chain comes before the signature, because a receipt of another chain is sound in itself; the links
 * come after it, because what a changed receipt says about its place is worth nothing.
 */
export const FAULT_CODES = [
  "MALFORMED_RECEIPT", // bytes that are no receipt; `reason` says why
  "CHAIN_MISMATCH", // a receipt of another chain
  "ISSUER_MISMATCH", // a receipt of another issuer
  "UNRESOLVABLE_DID", // no key is known for what the proof names
  "INVALID_SIGNATURE", // changed since it was signed, or signed by another key than the one in force
  "AFTER_TERMINAL", // the chain was closed before it
  "FORKED", // two histories: another receipt in a place that was taken, another root than a witness saw
  "SEQUENCE_GAP", // one is missing, repeated or out of order
  "BROKEN_LINK", // doesn't name the hash of the one before
  "INVALID_ROTATION", // a successor to the key that wasn't committed to, or isn't described right
  "ANCHOR_MISMATCH", // a sub-chain or a checkpoint that doesn't fit the record around it
  "RESPONSE_MISMATCH", // the response at hand isn't the one that was hashed
  "TRUNCATED", // shorter than somebody remembers it
  "NEWER_VERSION", // of a version of the format that is newer than this verifier: neither whole nor broken
  "INDEX_MISMATCH", // every receipt holds, and what the store keeps next to them to find and prove them doesn't fit them
  "BUNDLE_MISMATCH", // every receipt holds, and what the bundle says of itself isn't so; `reason` says what
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** What isn't so of a bundle. */
export type BundleReason =
  | "UNKNOWN_MEMBER" // it has a member that the format doesn't have
  | "OTHER_ISSUER" // another issuer than its receipts'
  | "OTHER_KEYS" // other keys than those that signed its receipts
  | "NO_CHECKPOINT" // none as new as one that its receipts carry
  | "OTHER_CHECKPOINT" // one that no key of the ledger signed
  | "OTHER_TREE" // a tree that isn't that of its checkpoint, or smaller than what it holds
  | "STRAY_PROOF"; // a proof without its receipt, or twice

export interface Fault {
  readonly code: FaultCode;
  /** Which receipt, counted from 0 in the order in which they were read; for TRUNCATED, the first that is missing. */
  readonly index: number;
  /** Of NEWER_VERSION it is there if the receipt has another form, so that the verifier got no further. */
  readonly reason?: MalformedReason | BundleReason;
  /** For people; not to be parsed. */
  readonly detail: string;
}

export function malformedAt(index: number, { reason, at }: Malformed): Fault {
  if (reason === "NEWER_VERSION") {
    const [version, path] = at.split(" ");
    const detail = `of version ${version}; by the rules of ${NEWEST_VERSION} it has another form (${path || "."})`;
    return { code: reason, index, reason, detail };
  }
  return { code: "MALFORMED_RECEIPT", index, reason, detail: at === "" ? reason : `${reason} at ${at}` };
}

/** What is wrong with a receipt by the rules that are known here. Of a newer one it is said that those may have changed. */
export function faultOf({ newer }: Pick<ReceiptFacts, "newer">, fault: Fault): Fault {
  if (newer === null) return fault;
  return { ...fault, detail: `${fault.detail}; by the rules of ${NEWEST_VERSION}, and it is of version ${newer}` };
}

/** Receipts of newer versions in which nothing else was found. */
export class NewerReceipts {
  #first: { readonly version: string; readonly index: number } | null = null;
  #count = 0;

  note({ newer }: ReceiptFacts, index: number): void {
    if (newer === null) return;
    this.#first ??= { version: newer, index };
    this.#count += 1;
  }

  get fault(): Fault | null {
    if (this.#first === null) return null;
    const { version, index } = this.#first;
    const more = this.#count === 1 ? "" : `, the first of ${this.#count} newer ones`;
    const held = `by the rules of ${NEWEST_VERSION} its signature and its place hold`;
    return { code: "NEWER_VERSION", index, detail: `of version ${version}${more}; ${held}` };
  }
}

/** Of all that was found, the first thing wrong, however late the checks answered. */
export class FirstFault {
  #first: Fault | null = null;

  get value(): Fault | null {
    return this.#first;
  }

  note(fault: Fault): void {
    if (this.#first === null || isBefore(fault, this.#first)) this.#first = fault;
  }
}

function isBefore(one: Fault, other: Fault): boolean {
  if (one.index !== other.index) return one.index < other.index;
  return FAULT_CODES.indexOf(one.code) < FAULT_CODES.indexOf(other.code);
}
