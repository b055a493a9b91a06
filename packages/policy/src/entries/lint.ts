import { compilePattern, firstLiteral, isForToolCalls, literalOf, type Pattern, subsumes } from "../patterns/index.ts";
import { type Entry, isEntryWithin } from "../profile/index.ts";
import { findTooWide } from "./derive.ts";

interface Lists {
  readonly allowlist: readonly Entry[];
  readonly denylist: readonly Entry[];
}

/**
 * never: it matches nothing. expired: its time is over. twin: another entry says the same. denied: a deny entry covers it.
 * broad: it lets more through than anyone can have meant.
 */
export type EntryFault = "never" | "expired" | "twin" | "denied" | "broad";

export interface EntryWarning {
  readonly list: keyof Lists;
  readonly index: number;
  readonly pattern: string;
  readonly fault: EntryFault;
  readonly warning: string;
}

type Warning = Pick<EntryWarning, "fault" | "warning">;

/** Returns entries that allow or deny more or less than their author probably meant. */
export function lintEntries(lists: Lists, nowMs: number): EntryWarning[] {
  const denied = lists.denylist.filter((entry) => isLive(entry, nowMs)).map(({ pattern }) => compilePattern(pattern));
  const denying = Map.groupBy(denied, (pattern) => firstLiteral(pattern) ?? ANY_FIRST);
  return (["allowlist", "denylist"] as const).flatMap((list) => {
    // Compare only entries with the same pattern.
    const before = new Map<string, Entry[]>();
    return lists[list].flatMap((entry, index) => {
      const twins = before.get(entry.pattern) ?? [];
      const warnings = lintEntry(entry, { list, twins, denied: couldDeny(entry, denying), nowMs });
      before.set(entry.pattern, [...twins.slice(-MAX_TWINS), entry]);
      return warnings.map((warning) => ({ list, index, pattern: entry.pattern, ...warning }));
    });
  });
}

/** Entries with the same pattern that are compared with the next: thousands may differ only in their directory. */
const MAX_TWINS = 64;
const ANY_FIRST = "**";

/**
 * Returns the deny patterns that may match the entry. A name matches a program in any directory, so the last component
 * is compared.
 */
function couldDeny({ pattern }: Entry, denying: ReadonlyMap<string, readonly Pattern[]>): readonly Pattern[] {
  const word = firstLiteral(compilePattern(pattern));
  if (word === undefined) return denying.get(ANY_FIRST) ?? [];
  const names = new Set([word, word.slice(word.lastIndexOf("/") + 1), ANY_FIRST]);
  return [...names].flatMap((name) => denying.get(name) ?? []);
}

interface About {
  readonly list: keyof Lists;
  readonly twins: readonly Entry[];
  readonly denied: readonly Pattern[];
  readonly nowMs: number;
}

function lintEntry(entry: Entry, { list, twins, denied, nowMs }: About): Warning[] {
  const pattern = compilePattern(entry.pattern);
  const unfit = findUnfit(pattern, list);
  if (unfit !== undefined) return [{ fault: "never", warning: `It never matches: ${unfit}` }];
  if (!isLive(entry, nowMs)) return [{ fault: "expired", warning: "It has expired" }];
  const warnings: Warning[] = [];
  if (twins.some((other) => isLive(other, nowMs) && isEntryWithin(entry, [other])))
    warnings.push({ fault: "twin", warning: "An earlier entry says the same" });
  if (list === "denylist") return warnings;
  if (denied.some((deny) => subsumes(deny, pattern)))
    warnings.push({ fault: "denied", warning: "A deny entry covers everything that it allows" });
  const wide = findTooWide(pattern);
  if (wide !== undefined) warnings.push({ fault: "broad", warning: `It is too broad: ${wide}` });
  return warnings;
}

function isLive({ expiresAtMs }: Entry, nowMs: number): boolean {
  return expiresAtMs === undefined || expiresAtMs > nowMs;
}

/** Returns words that no simple command has after quote removal, or that no trusted program is called. */
function findUnfit(pattern: Pattern, list: keyof Lists): string | undefined {
  // Names of tools and arguments have no syntax.
  if (isForToolCalls(pattern)) return undefined;
  const words = pattern.map(literalOf);
  const operator = words.find((word) => word !== undefined && /^(?:[;&|<>]+|\d*[<>].*)$/.test(word));
  if (operator !== undefined) return `${operator} stands between commands, and a pattern fits one simple command`;
  const quoted = words.find((word) => word !== undefined && /^(["']).*\1$/.test(word));
  if (quoted !== undefined) return `a pattern's words have no quotes (${quoted})`;
  const [first] = words;
  if (first !== undefined && /[;&|<>]/.test(first))
    return `${first} is more than a program, and a pattern fits one simple command`;
  if (first !== undefined && /^[A-Za-z_]\w*=/.test(first)) return `${first} is an assignment, not a program`;
  if (list === "allowlist" && first?.includes("/") && !first.startsWith("/")) {
    return `${first} isn't on the trusted PATH`;
  }
  return undefined;
}
