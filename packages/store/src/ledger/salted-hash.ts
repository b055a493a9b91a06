import { createHmac, randomBytes } from "node:crypto";
import { sha256Hex } from "@countersign/core/base";

const SALT_BYTES = 16;

/** One for each proposal, kept beside it in the store: whoever is to check a hash is given the salt of that proposal, and of no other. */
export function makeSalt(): string {
  return randomBytes(SALT_BYTES).toString("base64url");
}

/**
 * What a receipt of the hub's own says instead of a text. Commands, directories and outputs can be guessed, and receipts leave the house: a bare hash
 * would tell whoever guesses right. The prefix says in the receipt which of the two it is. Without a salt, as proposals of earlier
 * versions are, it is the bare one.
 */
export function saltedHash(text: string, salt: string | undefined): string {
  if (salt === undefined) return `sha256:${sha256Hex(text)}`;
  return `hmac-sha256:${createHmac("sha256", Buffer.from(salt, "base64url")).update(text).digest("hex")}`;
}

/** What an approver was asked about, by the hash that they were shown. */
export function saltedProposalHash(hash: string, salt: string | undefined): string {
  return salt === undefined ? hash : saltedHash(hash, salt);
}
