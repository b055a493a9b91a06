import { CanonicalError, canonicalize, type Json } from "../canonical/canonicalize.ts";

/** The one piece of crypto that the chain needs, injected so that it also runs where node:crypto doesn't. */
export type Sha256Hex = (text: string) => string;

/** What a writer says; the chain adds `seq`, `prev` and `hash`. */
export interface LedgerDraft {
  readonly type: LedgerType;
  readonly sessionId: string | null;
  /** The hub's own id of the proposal, not the agent's `proposalId`. */
  readonly proposalKey: string | null;
  readonly atMs: number;
  readonly body: { readonly [key: string]: Json };
}

export const LEDGER_TYPES = [
  "decided",
  "started",
  "ended",
  "preview-decided",
  "preview-ended",
  "policy-changed",
  "paused",
  "resumed",
  "token-created",
  "token-revoked",
  "device-claimed",
  "hub-up",
  "hub-down",
] as const;
export type LedgerType = (typeof LEDGER_TYPES)[number];

export interface LedgerEntry extends LedgerDraft {
  /** From 1, +1 each. */
  readonly seq: number;
  /** Hash of the entry before; null only for the first. */
  readonly prev: string | null;
  /** `sha256:` and hex over the canonical form of all other fields. */
  readonly hash: string;
}

export type ChainHead = Pick<LedgerEntry, "seq" | "hash">;

export function link(head: ChainHead | null, draft: LedgerDraft, sha256: Sha256Hex): LedgerEntry {
  const unhashed = {
    seq: (head?.seq ?? 0) + 1,
    prev: head?.hash ?? null,
    type: draft.type,
    sessionId: draft.sessionId,
    proposalKey: draft.proposalKey,
    atMs: draft.atMs,
    body: draft.body,
  };
  return { ...unhashed, hash: `sha256:${sha256(canonicalize(unhashed))}` };
}

type ChainFault = "SEQUENCE_GAP" | "BROKEN_LINK" | "WRONG_HASH";
export type ChainCheck =
  | { readonly whole: true; readonly count: number; readonly head: ChainHead | null }
  | { readonly whole: false; readonly code: ChainFault; readonly seq: number };

/**
 * Recomputes every link from what was stored. Proves that nothing inside was changed, removed or reordered since it was
 * written; it does not prove who wrote it, nor that no tail was cut off.
 */
export async function verifyChain(
  entries: AsyncIterable<LedgerEntry> | Iterable<LedgerEntry>,
  sha256: Sha256Hex,
): Promise<ChainCheck> {
  let head: ChainHead | null = null;
  let count = 0;
  for await (const entry of entries) {
    const expected = relink(head, entry, sha256);
    if (expected === null) return { whole: false, code: "WRONG_HASH", seq: entry.seq };
    if (entry.seq !== expected.seq) return { whole: false, code: "SEQUENCE_GAP", seq: entry.seq };
    if (entry.prev !== expected.prev) return { whole: false, code: "BROKEN_LINK", seq: entry.seq };
    if (entry.hash !== expected.hash) return { whole: false, code: "WRONG_HASH", seq: entry.seq };
    head = entry;
    count += 1;
  }
  return { whole: true, count, head };
}

/** null: the entry has no canonical form, so no hash that it claims can be right. */
function relink(head: ChainHead | null, entry: LedgerEntry, sha256: Sha256Hex): LedgerEntry | null {
  try {
    return link(head, entry, sha256);
  } catch (error) {
    if (error instanceof CanonicalError) return null;
    throw error;
  }
}
