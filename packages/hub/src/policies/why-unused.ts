import type { Entry } from "@countersign/policy";
import type { EntryUse } from "@countersign/store";

const DAY_MS = 86_400_000;
const UNUSED_MS = 90 * DAY_MS;

/**
 * Whether an entry that allows let nothing through for long; `sinceMs` stands for its beginning where that isn't known. Only what allows is
 * asked for its use: that nobody tries is what denials are for.
 */
export function whyUnused(
  { atMs }: Pick<Entry, "atMs">,
  use: EntryUse | undefined,
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
): string | undefined {
  const since = use?.lastUsedAtMs ?? atMs ?? sinceMs;
  if (nowMs - since < UNUSED_MS) return undefined;
  return `Not used for ${Math.floor((nowMs - since) / DAY_MS)} days`;
}
