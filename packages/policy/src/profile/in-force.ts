import type { Circumstances } from "./decision.ts";

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
