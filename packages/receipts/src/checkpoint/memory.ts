import { equalBytes } from "../crypto/index.ts";
import type { Digest } from "../format/index.ts";
import { checkConsistency, type TreeHead } from "../merkle-check/index.ts";

/** What a tree has become since somebody last saw it. */
export type Comparison =
  | "same"
  | "grown" // with all that was seen as its beginning: remember it instead
  | "rolled-back" // shorter than it was: a tail was cut, or an old copy restored
  | "forked"; // another history

/** A witness's one question. The proof leads from the size that was seen to the size now; without growth it is empty. */
export function compareWithMemory(
  seen: TreeHead,
  now: TreeHead & { readonly proof: readonly Uint8Array[] },
  crypto: Digest,
): Comparison {
  if (now.size < seen.size) return "rolled-back";
  if (now.size === seen.size) return equalBytes(now.root, seen.root) ? "same" : "forked";
  return checkConsistency({ older: seen, newer: now, proof: now.proof }, crypto) ? "grown" : "forked";
}
