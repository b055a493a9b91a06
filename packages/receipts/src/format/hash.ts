import { canonicalize } from "../canonical/index.ts";
import { fromHex, type ReceiptCrypto } from "../crypto/index.ts";
import { canonicalReceipt, unsignedText } from "./canonical-receipt.ts";

/** `sha256:` and lower-case hex: how every digest is written inside a receipt. */
export type Sha256Text = `sha256:${string}`;

const SHA256_LETTERS = "sha256:".length + 64;

export type Digest = Pick<ReceiptCrypto, "sha256" | "sha256Hex">;

export function hashBytes(bytes: Uint8Array | string, crypto: Digest): Sha256Text {
  return `sha256:${crypto.sha256Hex(bytes)}`;
}

/** Of the canonical form of any object: `parameters_hash`, `response_hash`. */
export function hashObject(value: unknown, crypto: Digest): Sha256Text {
  return hashBytes(canonicalize(value), crypto);
}

/** Of a receipt without its proof: what the next one's `previous_receipt_hash` names, and a leaf of the tree. */
export function hashReceipt(receipt: object, crypto: Digest): Sha256Text {
  return hashBytes(unsignedText(canonicalReceipt(receipt)), crypto);
}

/** The 32 bytes; null for text that names no SHA-256. */
export function digestOf(text: string): Uint8Array | null {
  return text.length === SHA256_LETTERS && text.startsWith("sha256:") ? fromHex(text.slice("sha256:".length)) : null;
}
