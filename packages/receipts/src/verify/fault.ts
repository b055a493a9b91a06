import type { Malformed, MalformedReason } from "../receipt/read.ts";

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
  "INDEX_MISMATCH", // every receipt holds, and what the store keeps next to them to find and prove them doesn't fit them
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

export interface Fault {
  readonly code: FaultCode;
  /** Which receipt, counted from 0 in the order in which they were read; for TRUNCATED, the first that is missing. */
  readonly index: number;
  readonly reason?: MalformedReason;
  /** For people; not to be parsed. */
  readonly detail: string;
}

export function malformedAt(index: number, { reason, at }: Malformed): Fault {
  return { code: "MALFORMED_RECEIPT", index, reason, detail: at === "" ? reason : `${reason} at ${at}` };
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
