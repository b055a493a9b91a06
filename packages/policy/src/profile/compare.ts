import { SETTING_KEYS, type Verdict } from "@countersign/vocabulary";
import { isInside, isInsideAny, rank } from "../model/index.ts";
import { compilePattern, firstLiteral, subsumes } from "../patterns/index.ts";
import { allowsOptions } from "../programs/index.ts";
import { type Ceiling, DEFAULT_CEILING, type Entry, type Grant, type Profile } from "./profile.ts";

/** Returns the verdict for allowlisted commands and for others: the decision table, without floor and deny entries. */
export function outcomes({ security, ask }: Pick<Profile, "security" | "ask">): { hit: Verdict; miss: Verdict } {
  if (security === "deny") return { hit: "deny", miss: "deny" };
  if (ask === "always") return { hit: "ask", miss: "ask" };
  if (security === "full") return { hit: "allow", miss: "allow" };
  return { hit: "allow", miss: ask === "off" ? "deny" : "ask" };
}

/** Ordered from strict to permissive. */
export const SANDBOX_ORDER: readonly Profile["sandbox"][] = ["required", "auto", "off"];

export const KNOWN_KEYS: readonly string[] = [...SETTING_KEYS, "allowlist", "denylist", "grants"];

/** Keys that record who made an entry, where, and how often it was used. They don't change what it allows. */
const RECORD_KEYS = ["id", "by", "why", "hits", "lastUsedAtMs", "layer", "file", "examples"];
const RULE_KEYS = ["pattern", "ceiling", "atMs", "expiresAtMs", "directory", "command", "code", "root"];

/** Reports whether one of `others` allows everything that `entry` allows. */
export function isEntryWithin(entry: Entry, others: readonly Entry[]): boolean {
  return withPattern(others, entry.pattern).some(
    (other) =>
      other.command === entry.command &&
      isTimeWithin(entry, other) &&
      isPlaceWithin(entry, other) &&
      holdsCodeOf(entry, other) &&
      isCeilingWithin(entry.ceiling ?? DEFAULT_CEILING, other.ceiling ?? DEFAULT_CEILING) &&
      sameUnknown(entry, other),
  );
}

/** Reports whether one of `others` denies everything that `entry` denies, for as long. */
export function isDeniedBy(entry: Entry, others: readonly Entry[]): boolean {
  return withPattern(others, entry.pattern).some(
    (other) => expiry(entry) <= expiry(other) && isPlaceWithin(entry, other),
  );
}

/** Reports whether one of `others` allows everything that `grant` allows. */
export function isGrantWithin(grant: Grant, others: readonly Grant[]): boolean {
  return others.some(
    (other) => isInside(grant.root, other.root) && isTimeWithin(grant, other) && sameUnknown(grant, other),
  );
}

const byPattern = new WeakMap<readonly Entry[], Map<string, Entry[]>>();

/**
 * Returns the entries with this pattern, from an index. Lists are replaced, never changed, and comparing ten thousand
 * entries one by one would take too long.
 */
function withPattern(entries: readonly Entry[], pattern: string): readonly Entry[] {
  let index = byPattern.get(entries);
  if (index === undefined) {
    index = Map.groupBy(entries, (entry) => entry.pattern);
    byPattern.set(entries, index);
  }
  return index.get(pattern) ?? [];
}

export function unknownKeys(value: Readonly<Record<string, unknown>>, known: readonly string[]): string[] {
  return Object.keys(value).filter((key) => !known.includes(key));
}

/** Reports whether two JSON values are equal, in any key order. */
export function sameValue(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function expiry({ expiresAtMs }: Entry | Grant): number {
  return expiresAtMs ?? Number.POSITIVE_INFINITY;
}

/**
 * Reports whether the time span is inside. A later start allows more, because an entry made after a denial outranks it.
 */
function isTimeWithin(inner: Entry | Grant, outer: Entry | Grant): boolean {
  return expiry(inner) <= expiry(outer) && (inner.atMs ?? 0) <= (outer.atMs ?? 0);
}

function isPlaceWithin(inner: Entry, outer: Entry): boolean {
  return outer.directory === undefined || (inner.directory !== undefined && isInside(inner.directory, outer.directory));
}

/** Reports whether `inner` pins all code that `outer` pins. */
function holdsCodeOf(inner: Entry, outer: Entry): boolean {
  return Object.entries(outer.code ?? {}).every(
    ([path, hash]) => inner.code !== undefined && Object.hasOwn(inner.code, path) && inner.code[path] === hash,
  );
}

function isCeilingWithin(inner: Ceiling, outer: Ceiling): boolean {
  if (!inner.kinds.every((kind) => outer.kinds.includes(kind)) || rank(inner.risk) > rank(outer.risk)) return false;
  const { roots, options, subcommand, hosts } = outer;
  if (roots !== undefined && !inner.roots?.every((root) => isInsideAny(root, roots))) return false;
  if (options !== undefined && (inner.options === undefined || !allowsOptions(options, inner.options))) return false;
  if (hosts !== undefined && !inner.hosts?.every((host) => hosts.includes(host))) return false;
  const { places } = outer;
  if (places !== undefined && !inner.places?.every((place) => places.includes(place))) return false;
  // With one of them, `roots` also limit the directory; without, they limit less.
  const bindsPlace = (one: Ceiling) => one.options !== undefined || one.subcommand !== undefined;
  if (roots !== undefined && bindsPlace(outer) && !bindsPlace(inner)) return false;
  return subcommand === undefined || inner.subcommand === subcommand;
}

function sameUnknown(a: Entry | Grant, b: Entry | Grant): boolean {
  const known = [...RECORD_KEYS, ...RULE_KEYS];
  const keys = new Set([...unknownKeys(a, known), ...unknownKeys(b, known)]);
  return [...keys].every((key) => sameValue(a[key], b[key]));
}

function canonical(value: unknown): string {
  const sorted = (_: string, one: unknown) =>
    one !== null && typeof one === "object" && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one;
  return JSON.stringify(value, sorted) ?? "undefined";
}

/**
 * Reports whether `entry` allows no more than `old`, for an entry made separately. The caller must keep the time of
 * `old`, since a newer entry outranks earlier denials. If that isn't known, it counts as wider.
 */
export function isNarrower(entry: Entry, old: Entry): boolean {
  const { atMs: _, ...undated } = entry;
  const [wide, narrow] = [compilePattern(old.pattern), compilePattern(entry.pattern)];
  const program = firstLiteral(wide);
  // A pattern matches a program's name in any directory, and another directory is another program.
  if (program !== undefined && firstLiteral(narrow) !== program) return false;
  return subsumes(wide, narrow) && isEntryWithin({ ...undated, pattern: old.pattern }, [old]);
}
