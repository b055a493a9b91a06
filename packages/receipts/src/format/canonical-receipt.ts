import { CanonicalError, isPlain, type NullRule, sortedKeys, write, writeText } from "../canonical/index.ts";

/** A receipt's RFC 8785 text in the pieces around its proof, each member with a comma before it. */
export interface CanonicalReceipt {
  readonly before: string;
  /** Empty for a receipt that isn't signed yet. */
  readonly proof: string;
  readonly after: string;
}

const DROP_NULLS: NullRule = { keepAll: false, except: "" };
/** The one member of the format that is null by right. */
const CHAIN_NULLS: NullRule = { keepAll: false, except: "previous_receipt_hash" };

/**
 * The canonical form of a receipt: absent instead of null, except for `credentialSubject.chain.previous_receipt_hash`.
 * Throws CanonicalError for a value that has no such form.
 */
export function canonicalReceipt(receipt: object): CanonicalReceipt {
  let before = "";
  let proof = "";
  let after = "";
  assertPlain(receipt);
  for (const key of sortedKeys(receipt)) {
    const value = (receipt as Record<string, unknown>)[key];
    if (value === undefined || value === null) continue;
    const text = `,${writeText(key)}:${key === "credentialSubject" ? writeSubject(value) : write(value, 1, DROP_NULLS)}`;
    if (key === "proof") proof = text;
    else if (key < "proof") before += text;
    else after += text;
  }
  return { before, proof, after };
}

/** What is signed and hashed: everything but the proof. */
export function unsignedText({ before, after }: CanonicalReceipt): string {
  return `{${(before + after).slice(1)}}`;
}

export function wholeText({ before, proof, after }: CanonicalReceipt): string {
  return `{${(before + proof + after).slice(1)}}`;
}

function writeSubject(subject: unknown): string {
  if (typeof subject !== "object" || subject === null || Array.isArray(subject)) return write(subject, 1, DROP_NULLS);
  assertPlain(subject);
  let text = "";
  for (const key of sortedKeys(subject)) {
    const value = (subject as Record<string, unknown>)[key];
    if (value === undefined || value === null) continue;
    text += `,${writeText(key)}:${write(value, 2, key === "chain" ? CHAIN_NULLS : DROP_NULLS)}`;
  }
  return `{${text.slice(1)}}`;
}

function assertPlain(value: object): void {
  if (!isPlain(value)) throw new CanonicalError("NOT_JSON", "object has no canonical form");
}
