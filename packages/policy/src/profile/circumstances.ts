import type { EffectKind, Enforcement } from "@countersign/vocabulary";
import type { Entry, Grant } from "./profile.ts";

/** The circumstances for looking up entries and grants. */
export interface Moment extends Circumstances {
  /** Only entries allowed after this time count, because a person denied something similar then. */
  readonly sinceMs?: number | undefined;
}

/** Reports whether an entry or a grant applies: it hasn't expired, and it isn't older than a denial. */
export function isInForce(
  { atMs, expiresAtMs }: { readonly atMs?: number | undefined; readonly expiresAtMs?: number | undefined },
  { nowMs, sinceMs }: Pick<Moment, "nowMs" | "sinceMs">,
): boolean {
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) return false;
  return sinceMs === undefined || (atMs !== undefined && atMs > sinceMs);
}

export interface Circumstances {
  readonly enforcement: Enforcement;
  /** Whether a person can be asked; false for unattended agents. */
  readonly attended: boolean;
  readonly nowMs: number;
  /** What a person allowed in addition to the profile, for this session or a limited time. */
  readonly allowed?: { readonly entries: readonly Entry[]; readonly grants: readonly Grant[] };
  /** What a person denied in this session. */
  readonly denials?: readonly Denial[];
  /** Hash of the proposal, to recognise a repeated one. */
  readonly proposalHash?: string;
  /** Returns the SHA-256 of a file now, null if there is no such file, undefined if nobody looked. */
  readonly hashFile?: ((path: string) => string | null | undefined) | undefined;
}

/** An effect of a denied proposal, to find similar proposals. */
export interface DeniedEffect {
  readonly kind: EffectKind;
  readonly target?: string;
}

/** A person's denial, for as long as it is remembered. */
export interface Denial {
  /** Id of the denied approval. */
  readonly approvalId: string;
  readonly proposalHash: string;
  /** The command for people: redacted and shortened. */
  readonly command: string;
  readonly by: string;
  readonly reason?: string;
  readonly atMs: number;
  /** Until then the same proposal is denied without asking. */
  readonly standsUntilMs: number;
  readonly effects: readonly DeniedEffect[];
}
