import { SETTING_KEYS, type Verdict } from "@countersign/vocabulary";
import { isInside, isInsideAny, rank } from "../model/index.ts";
import { compilePattern, firstLiteral, subsumes } from "../patterns/index.ts";
import { allowsOptions } from "../programs/index.ts";
import { type Ceiling, DEFAULT_CEILING, type Entry, type Grant, type Profile } from "./profile.ts";

/** What becomes of an allowlisted command and of any other: the decision table, without floor and deny entries. */
export function outcomes({ security, ask }: Pick<Profile, "security" | "ask">): { hit: Verdict; miss: Verdict } {
  if (security === "deny") return { hit: "deny", miss: "deny" };
  if (ask === "always") return { hit: "ask", miss: "ask" };
  if (security === "full") return { hit: "allow", miss: "allow" };
  return { hit: "allow", miss: ask === "off" ? "deny" : "ask" };
}

/** From strict to permissive. */
export const SANDBOX_ORDER: readonly Profile["sandbox"][] = ["required", "auto", "off"];

export const KNOWN_KEYS: readonly string[] = [...SETTING_KEYS, "allowlist", "denylist", "grants"];

/** Who made an entry, where, and how often it was used doesn't change what it allows. */
const RECORD_KEYS = ["id", "by", "why", "hits", "lastUsedAtMs", "layer", "file", "examples"];
const RULE_KEYS = ["pattern", "ceiling", "atMs", "expiresAtMs", "directory", "command", "code", "root"];

/** Whether `entry` allows nothing that one of `others` doesn't. */
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

/** Whether one of `others` denies all that `entry` denies, and as long. */
export function isDeniedBy(entry: Entry, others: readonly Entry[]): boolean {
  return withPattern(others, entry.pattern).some(
    (other) => expiry(entry) <= expiry(other) && isPlaceWithin(entry, other),
  );
}

/** Whether `grant` allows nothing that one of `others` doesn't. */
export function isGrantWithin(grant: Grant, others: readonly Grant[]): boolean {
  return others.some(
    (other) => isInside(grant.root, other.root) && isTimeWithin(grant, other) && sameUnknown(grant, other),
  );
}

const byPattern = new WeakMap<readonly Entry[], Map<string, Entry[]>>();

/** Lists are replaced, never changed; two of ten thousand entries must not be held against each other one by one. */
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

/** Key order apart, whether two JSON values are the same. */
export function sameValue(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function expiry({ expiresAtMs }: Entry | Grant): number {
  return expiresAtMs ?? Number.POSITIVE_INFINITY;
}

/** A later beginning allows more too: what a person allowed after they denied something outranks the denial. */
function isTimeWithin(inner: Entry | Grant, outer: Entry | Grant): boolean {
  return expiry(inner) <= expiry(outer) && (inner.atMs ?? 0) <= (outer.atMs ?? 0);
}

function isPlaceWithin(inner: Entry, outer: Entry): boolean {
  return outer.directory === undefined || (inner.directory !== undefined && isInside(inner.directory, outer.directory));
}

/** Whether the code that `outer` holds is held by `inner` too. */
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
  // Where one of them is given, `roots` also bind where the command runs: without it they bind less.
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
 * Whether `entry` allows nothing that `old` doesn't, when it was made apart: it must be kept as old as `old` is, since a newer one outranks what
 * was denied before. What can't be told counts as wider.
 */
export function isNarrower(entry: Entry, old: Entry): boolean {
  const { atMs: _, ...undated } = entry;
  const [wide, narrow] = [compilePattern(old.pattern), compilePattern(entry.pattern)];
  const program = firstLiteral(wide);
  // Patterns fit a program by its name wherever it lies: another place is another program.
  if (program !== undefined && firstLiteral(narrow) !== program) return false;
  return subsumes(wide, narrow) && isEntryWithin({ ...undated, pattern: old.pattern }, [old]);
}
