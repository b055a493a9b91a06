import { isOpenToCode, type LayeredEntry, lintEntries } from "@countersign/policy";
import type { ViewedEntry } from "@countersign/protocol/policy";
import type { EntryUse } from "@countersign/store";
import { whyUnused } from "./why-unused.ts";

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
