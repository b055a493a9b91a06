import { type Entry, isOpenToCode, type LayeredEntry, lintEntries } from "@countersign/policy";
import type { ViewedEntry } from "@countersign/protocol/policy";
import type { EntryUse } from "@countersign/store";

export type Faults = NonNullable<ViewedEntry["faults"]>;

/** Of entries for `npm run x`, `make` and the like. */
const OPEN_CODE = "It doesn't hold the code that it runs, which can change";

interface About {
  readonly uses: ReadonlyMap<string, EntryUse>;
  readonly nowMs: number;
}

/** By id, what a person may want to change about the entries of a profile. */
export function findFaults(
  lists: { readonly allowlist: readonly LayeredEntry[]; readonly denylist: readonly LayeredEntry[] },
  { uses, nowMs }: About,
): ReadonlyMap<string, Faults> {
  const found = new Map<string, Faults>();
  const add = ({ id = "" }: Pick<LayeredEntry, "id">, fault: Faults[number]) =>
    found.set(id, [...(found.get(id) ?? []), fault]);
  for (const { list, index, fault, warning } of lintEntries(lists, nowMs)) {
    add(lists[list][index] as LayeredEntry, { fault, warning });
  }
  for (const entry of lists.allowlist) {
    if (isOpenToCode(entry)) add(entry, { fault: "open", warning: OPEN_CODE });
    const unused = whyUnused(entry, uses.get(entry.id ?? ""), { sinceMs: nowMs, nowMs });
    if (unused !== undefined) add(entry, { fault: "unused", warning: unused });
  }
  return found;
}

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
