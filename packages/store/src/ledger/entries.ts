import type { Json } from "@countersign/receipts";

/** What the hub puts on record; each becomes one receipt. */
export interface LedgerDraft {
  readonly type: LedgerType;
  /** Whose chain it goes to; null: the root's. */
  readonly sessionId: string | null;
  /** The hub's own id of the proposal, not the agent's `proposalId`. */
  readonly proposalKey: string | null;
  readonly atMs: number;
  /** A receipt never says null: such a member is left out, and the entry comes back without it. */
  readonly body: { readonly [key: string]: Json };
}

export const LEDGER_TYPES = [
  "ledger-opened",
  "epoch-opened",
  "checkpoint",
  "key-rotated",
  "decided",
  "started",
  "ended",
  "preview-decided",
  "preview-ended",
  "policy-changed",
  "config-changed",
  "paused",
  "resumed",
  "token-created",
  "token-revoked",
  "device-claimed",
  "auth-failed",
  "revealed",
  "notify-on",
  "notify-off",
  "adapter-installed",
  "adapter-removed",
  "hub-up",
  "hub-down",
] as const;
export type LedgerType = (typeof LEDGER_TYPES)[number];

export interface LedgerEntry extends LedgerDraft {
  /** In the order of the whole ledger: from 1, +1 each. */
  readonly seq: number;
  /** The receipt's. */
  readonly hash: string;
}

export type LedgerHead = Pick<LedgerEntry, "seq" | "hash">;

export interface LedgerIdentity {
  /** `countersign:<uuid>`. */
  readonly installation: string;
  /** From 1; a new one begins where the ledger was found shorter than, or another one than, a witness remembers. */
  readonly epoch: number;
}

/** The name under which checkpoints are signed. */
export function originOf({ installation, epoch }: LedgerIdentity): string {
  return `${installation}/epoch-${epoch}`;
}
