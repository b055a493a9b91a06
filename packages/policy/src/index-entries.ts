import type { Part } from "./classification.ts";
import { isInForce, type Moment } from "./in-force.ts";
import { compilePattern, firstLiteral, literalWord, namesOf, type Pattern } from "./match-entry.ts";
import type { Entry } from "./profile.ts";

export interface IndexedEntry {
  readonly entry: Entry;
  readonly pattern: Pattern;
}

/** The entries for one program, by what follows its name: few fit a command, however many there are. */
interface NameIndex {
  /** Every word is literal: by all of them. */
  readonly exact: Map<string, IndexedEntry[]>;
  /** By the first word after the name, where it is literal. */
  readonly bySecond: Map<string, IndexedEntry[]>;
  readonly others: IndexedEntry[];
}

interface EntryIndex {
  readonly byName: ReadonlyMap<string, NameIndex>;
  /** Patterns that begin with a wildcard: tried on every part. */
  readonly others: readonly IndexedEntry[];
}

/** Compiled once for each list: a profile is replaced, never changed, so its lists are good keys. */
const compiled = new WeakMap<readonly Entry[], EntryIndex>();

/** The entries of a list that could fit a part at this moment. */
export function candidates(
  entries: readonly Entry[],
  part: Part,
  moment: Pick<Moment, "nowMs" | "sinceMs">,
): IndexedEntry[] {
  if (entries.length === 0) return [];
  let index = compiled.get(entries);
  if (index === undefined) {
    index = build(entries);
    compiled.set(entries, index);
  }
  const rest = part.words.slice(1);
  const found = [...index.others];
  for (const name of namesOf(part)) {
    const named = index.byName.get(name);
    if (named === undefined) continue;
    found.push(...(named.exact.get(keyOf(rest)) ?? []), ...(named.bySecond.get(rest[0] ?? "") ?? []), ...named.others);
  }
  return found.filter(({ entry }) => isInForce(entry, moment));
}

function build(entries: readonly Entry[]): EntryIndex {
  const byName = new Map<string, NameIndex>();
  const others: IndexedEntry[] = [];
  for (const entry of entries) {
    const pattern = compilePattern(entry.pattern);
    const name = firstLiteral(pattern);
    if (name === undefined) {
      others.push({ entry, pattern });
      continue;
    }
    const named = byName.get(name) ?? { exact: new Map(), bySecond: new Map(), others: [] };
    byName.set(name, named);
    put(named, { entry, pattern });
  }
  return { byName, others };
}

function put({ exact, bySecond, others }: NameIndex, indexed: IndexedEntry): void {
  const words = indexed.pattern.slice(1).map(literalWord);
  if (!words.includes(undefined)) add(exact, keyOf(words), indexed);
  else if (words[0] !== undefined) add(bySecond, words[0], indexed);
  else others.push(indexed);
}

function add(map: Map<string, IndexedEntry[]>, key: string, indexed: IndexedEntry): void {
  const same = map.get(key);
  if (same === undefined) map.set(key, [indexed]);
  else same.push(indexed);
}

function keyOf(words: readonly (string | null | undefined)[]): string {
  return JSON.stringify(words);
}
