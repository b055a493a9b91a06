import type { Part } from "./classification.ts";
import { compilePattern, firstLiteral, namesOf, type Pattern } from "./match-entry.ts";
import type { Entry } from "./profile.ts";

export interface IndexedEntry {
  readonly entry: Entry;
  readonly pattern: Pattern;
}

interface EntryIndex {
  readonly byName: ReadonlyMap<string, readonly IndexedEntry[]>;
  /** Patterns that begin with a wildcard: tried on every part. */
  readonly others: readonly IndexedEntry[];
}

/** Compiled once for each list: a profile is replaced, never changed, so its lists are good keys. */
const compiled = new WeakMap<readonly Entry[], EntryIndex>();

/** The entries of a list that could fit a part and haven't expired: few, however long the list is. */
export function candidates(entries: readonly Entry[], part: Part, nowMs: number): IndexedEntry[] {
  let index = compiled.get(entries);
  if (index === undefined) {
    index = build(entries);
    compiled.set(entries, index);
  }
  const found = [...namesOf(part).flatMap((name) => index.byName.get(name) ?? []), ...index.others];
  return found.filter(({ entry }) => entry.expiresAtMs === undefined || entry.expiresAtMs > nowMs);
}

function build(entries: readonly Entry[]): EntryIndex {
  const byName = new Map<string, IndexedEntry[]>();
  const others: IndexedEntry[] = [];
  for (const entry of entries) {
    const pattern = compilePattern(entry.pattern);
    const name = firstLiteral(pattern);
    if (name === undefined) others.push({ entry, pattern });
    else {
      const same = byName.get(name);
      if (same === undefined) byName.set(name, [{ entry, pattern }]);
      else same.push({ entry, pattern });
    }
  }
  return { byName, others };
}
