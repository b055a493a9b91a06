import type { EffectKind, Enforcement } from "@countersign/vocabulary";
import type { Entry, Grant } from "./profile.ts";

/** The circumstances that entries and grants are looked at in. */
export interface Moment extends Circumstances {
  /** Only what a person allowed after that time counts, because of what they denied then. */
  readonly sinceMs?: number | undefined;
}

/** Whether an entry or a grant counts at this moment: it hasn't expired, and it isn't older than a denial. */
export function isInForce(
  { atMs, expiresAtMs }: { readonly atMs?: number | undefined; readonly expiresAtMs?: number | undefined },
  { nowMs, sinceMs }: Pick<Moment, "nowMs" | "sinceMs">,
): boolean {
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) return false;
  return sinceMs === undefined || (atMs !== undefined && atMs > sinceMs);
}

export interface Circumstances {
  readonly enforcement: Enforcement;
  /** Whether a person can be asked at all; false for unattended agents. */
  readonly attended: boolean;
  readonly nowMs: number;
  /** What a person allowed beside the profile, for this session or for a while. */
  readonly allowed?: { readonly entries: readonly Entry[]; readonly grants: readonly Grant[] };
  /** What a person denied in this session. */
  readonly denials?: readonly Denial[];
  /** Of the proposal itself: by it a repeated one is known. */
  readonly proposalHash?: string;
  /** SHA-256 of a file as it is now, null where there's no such file, undefined where nobody looked. */
  readonly hashFile?: ((path: string) => string | null | undefined) | undefined;
}

/** What of a denied proposal another can have in common with it. */
export interface DeniedEffect {
  readonly kind: EffectKind;
  readonly target?: string;
}

/** A person's denial, as long as it is remembered. */
export interface Denial {
  /** Of the approval that was denied. */
  readonly approvalId: string;
  readonly proposalHash: string;
  /** For people: redacted, and short. */
  readonly command: string;
  readonly by: string;
  readonly reason?: string;
  readonly atMs: number;
  /** Until then the same proposal is denied without asking again. */
  readonly standsUntilMs: number;
  readonly effects: readonly DeniedEffect[];
}
