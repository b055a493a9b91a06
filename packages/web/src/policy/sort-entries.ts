import type { ViewedEntry } from "@countersign/protocol/policy";

export type Order = "pattern" | "hits" | "used" | "age";
export type Only = "all" | "allow" | "deny" | "faults";

export interface Wanted {
  readonly text: string;
  readonly only: Only;
  readonly order: Order;
}

export const ORDER_WORDS: Readonly<Record<Order, string>> = {
  pattern: "by name",
  hits: "most used first",
  used: "longest unused first",
  age: "newest first",
};

/** The command or pattern of an entry. */
export function textOf({ command, pattern }: ViewedEntry): string {
  return command ?? pattern;
}

/** Filters and sorts entries. Words may match in the pattern, the reason, or the author. */
export function pickEntries(entries: readonly ViewedEntry[], { text, only, order }: Wanted): ViewedEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (entry: ViewedEntry) => {
    const { list, faults, why = "", by = "", directory = "", layer } = entry;
    if (only === "faults" ? (faults ?? []).length === 0 : only !== "all" && only !== list) return false;
    const all = [textOf(entry), why, by, directory, layer].join("\n").toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return entries.filter(fits).sort(COMPARE[order]);
}

const byName = (a: ViewedEntry, b: ViewedEntry) => textOf(a).localeCompare(textOf(b));
const COMPARE: Readonly<Record<Order, (a: ViewedEntry, b: ViewedEntry) => number>> = {
  pattern: byName,
  hits: (a, b) => b.hits - a.hits || byName(a, b),
  used: (a, b) => (a.lastUsedAtMs ?? a.atMs ?? 0) - (b.lastUsedAtMs ?? b.atMs ?? 0) || byName(a, b),
  age: (a, b) => (b.atMs ?? 0) - (a.atMs ?? 0) || byName(a, b),
};
