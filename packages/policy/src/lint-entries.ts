import { isEntryWithin } from "./compare-profiles.ts";
import { findTooWide } from "./derive-written.ts";
import { compilePattern, isForToolCalls, literalWord, type Pattern } from "./match-entry.ts";
import type { Entry } from "./profile.ts";
import { subsumes } from "./subsume-pattern.ts";

interface Lists {
  readonly allowlist: readonly Entry[];
  readonly denylist: readonly Entry[];
}

export interface EntryWarning {
  readonly list: keyof Lists;
  readonly index: number;
  readonly pattern: string;
  readonly warning: string;
}

/** Entries that say less, or more, than whoever wrote them probably meant. */
export function lintEntries(lists: Lists, nowMs: number): EntryWarning[] {
  const denied = lists.denylist.filter((entry) => isLive(entry, nowMs)).map(({ pattern }) => compilePattern(pattern));
  return (["allowlist", "denylist"] as const).flatMap((list) =>
    lists[list].flatMap((entry, index) => {
      const about = { list, others: lists[list].slice(0, index), denied, nowMs };
      return lintEntry(entry, about).map((warning) => ({ list, index, pattern: entry.pattern, warning }));
    }),
  );
}

interface About {
  readonly list: keyof Lists;
  readonly others: readonly Entry[];
  readonly denied: readonly Pattern[];
  readonly nowMs: number;
}

function lintEntry(entry: Entry, { list, others, denied, nowMs }: About): string[] {
  const pattern = compilePattern(entry.pattern);
  const unfit = findUnfit(pattern, list);
  if (unfit !== undefined) return [`It never matches: ${unfit}`];
  if (!isLive(entry, nowMs)) return ["It has expired"];
  const twin = others.some((other) => isLive(other, nowMs) && isEntryWithin(entry, [other]));
  const warnings = twin ? ["Another entry before it says the same"] : [];
  if (list === "denylist") return warnings;
  if (denied.some((deny) => subsumes(deny, pattern))) warnings.push("A deny entry takes all that it allows");
  const wide = findTooWide(pattern);
  return wide === undefined ? warnings : [...warnings, `It is too broad: ${wide}`];
}

function isLive({ expiresAtMs }: Entry, nowMs: number): boolean {
  return expiresAtMs === undefined || expiresAtMs > nowMs;
}

/** Words that no simple command has after quotes are removed, or that no trusted program goes by. */
function findUnfit(pattern: Pattern, list: keyof Lists): string | undefined {
  // Names of tools and their arguments are nobody's syntax.
  if (isForToolCalls(pattern)) return undefined;
  const words = pattern.map(literalWord);
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
