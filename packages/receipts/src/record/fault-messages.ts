import type { Fault, FaultCode } from "../verify/index.ts";

const TOLD_AFTER_ALL: ReadonlySet<FaultCode> = new Set([
  "TRUNCATED",
  "NEWER_VERSION",
  "INDEX_MISMATCH",
  "BUNDLE_MISMATCH",
]);

/** Whether every receipt that there is was looked at. */
export function isToldAfterAll({ code, reason }: Fault): boolean {
  return TOLD_AFTER_ALL.has(code) && !(code === "NEWER_VERSION" && reason !== undefined);
}

/** What a fault means for whoever relies on the record. */
export const FAULT_MEANINGS: Readonly<Record<FaultCode, string>> = {
  MALFORMED_RECEIPT: "These bytes are no receipt, or not as it was written: something changed them.",
  CHAIN_MISMATCH: "A receipt of another chain stands here.",
  ISSUER_MISMATCH: "A receipt of another issuer stands in this chain.",
  UNRESOLVABLE_DID: "The proof names a key without holding it, and none that is trusted signed it.",
  INVALID_SIGNATURE: "It was changed since it was signed, or signed with another key than the one in force.",
  AFTER_TERMINAL: "The chain had been closed before this receipt.",
  FORKED: "There are two histories: another receipt, or another record, was seen in this place.",
  SEQUENCE_GAP: "A receipt is missing, repeated or out of order here.",
  BROKEN_LINK: "It doesn't name the receipt before it: one was removed, put in or exchanged.",
  INVALID_ROTATION: "The key was changed for one that hadn't been committed to.",
  ANCHOR_MISMATCH: "A chain or a checkpoint doesn't fit the record around it.",
  RESPONSE_MISMATCH: "The response at hand isn't the one that was hashed.",
  NEWER_VERSION:
    "A receipt is newer than this verifier: what is checked here is what this version knows. Verify it with a newer one.",
  INDEX_MISMATCH:
    "Every receipt holds, and a column, span of time, tree node or checkpoint next to one was changed: searches and proofs go wrong.",
  BUNDLE_MISMATCH: "Every receipt holds, and what the file says of itself next to them isn't so: it was changed.",
  TRUNCATED: "Somebody remembers more than is here: the end was cut off, or an old copy was put back.",
};
