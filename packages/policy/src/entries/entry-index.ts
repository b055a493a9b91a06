import { basename, type Part } from "../model/index.ts";
import { compilePattern, firstLiteral, literalOf, namesOf, type Pattern } from "../patterns/index.ts";
import { type Entry, isInForce, type Moment } from "../profile/index.ts";

export interface IndexedEntry {
  readonly entry: Entry;
  readonly pattern: Pattern;
}

/** The entries for one program, by the words after its name, so that few are tried on each command. */
interface NameIndex {
  /** Patterns with only literal words, by all of them. */
  readonly exact: Map<string, IndexedEntry[]>;
  /** The same by the first word after the name; empty if there is none. */
  readonly exactBySecond: Map<string, IndexedEntry[]>;
  /** Patterns with a literal first word after the name, by that word. */
  readonly bySecond: Map<string, IndexedEntry[]>;
  readonly others: IndexedEntry[];
}

interface EntryIndex {
  readonly byName: ReadonlyMap<string, NameIndex>;
  /** Patterns that begin with a wildcard, tried on every part. */
  readonly others: readonly IndexedEntry[];
}

/** Compiled indexes. A profile is replaced, never changed, so its lists can be keys. */
const compiled = new WeakMap<readonly Entry[], EntryIndex>();

/** The entries of a list that could fit a part at this moment. */
export function candidates(
  entries: readonly Entry[],
  part: Part,
  moment: Pick<Moment, "nowMs" | "sinceMs">,
): IndexedEntry[] {
  if (entries.length === 0) return [];
  const index = indexOf(entries);
  const rest = part.words.slice(1);
  const found = [...index.others];
  for (const name of namesOf(part)) {
    const named = index.byName.get(name);
    if (named === undefined) continue;
    found.push(...(named.exact.get(keyOf(rest)) ?? []), ...(named.bySecond.get(rest[0] ?? "") ?? []), ...named.others);
  }
  return found.filter(({ entry }) => isInForce(entry, moment));
}

/** Those that could fit it if options stood elsewhere, or if a word that isn't literal turned out to be one of theirs. */
export function looseCandidates(
  entries: readonly Entry[],
  part: Part,
  moment: Pick<Moment, "nowMs" | "sinceMs">,
): IndexedEntry[] {
  if (entries.length === 0) return [];
  const index = indexOf(entries);
  const rest = new Set(part.words.slice(1));
  const found = [...index.others];
  for (const name of namesOf(part)) {
    const named = index.byName.get(name);
    if (named === undefined) continue;
    found.push(...named.others);
    const maps = [named.exactBySecond, named.bySecond];
    for (const map of maps) {
      if (rest.has(null)) found.push(...[...map.values()].flat());
      else for (const word of ["", ...rest]) found.push(...(map.get(word ?? "") ?? []));
    }
  }
  return found.filter(({ entry }) => isInForce(entry, moment));
}

/** Whether there are entries that name this program. */
export function isNamed(entries: readonly Entry[], word: string): boolean {
  const { byName } = indexOf(entries);
  return byName.has(word) || byName.has(basename(word));
}

function indexOf(entries: readonly Entry[]): EntryIndex {
  const known = compiled.get(entries);
  if (known !== undefined) return known;
  const index = build(entries);
  compiled.set(entries, index);
  return index;
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
    const named = byName.get(name) ?? { exact: new Map(), exactBySecond: new Map(), bySecond: new Map(), others: [] };
    byName.set(name, named);
    put(named, { entry, pattern });
  }
  return { byName, others };
}

function put({ exact, exactBySecond, bySecond, others }: NameIndex, indexed: IndexedEntry): void {
  const words = indexed.pattern.slice(1).map(literalOf);
  if (!words.includes(undefined)) {
    add(exact, keyOf(words), indexed);
    add(exactBySecond, words[0] ?? "", indexed);
  } else if (words[0] !== undefined) add(bySecond, words[0], indexed);
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
