import { DEFAULT_CEILING } from "./cover.ts";
import type { Ceiling, Entry, Profile } from "./profile.ts";
import { allowsOptions } from "./read-shape.ts";
import { isInsideAny } from "./resolve-path.ts";
import { rank } from "./risk.ts";

/** Ordered from strict to permissive. */
export const OUTCOMES = ["deny", "ask", "allow"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What becomes of an allowlisted command and of any other: the decision table, without floor and deny entries. */
export function outcomes({ security, ask }: Pick<Profile, "security" | "ask">): { hit: Outcome; miss: Outcome } {
  if (security === "deny") return { hit: "deny", miss: "deny" };
  if (ask === "always") return { hit: "ask", miss: "ask" };
  if (security === "full") return { hit: "allow", miss: "allow" };
  return { hit: "allow", miss: ask === "off" ? "deny" : "ask" };
}

/** From strict to permissive. */
export const SANDBOX_ORDER: readonly Profile["sandbox"][] = ["required", "auto", "off"];

export const KNOWN_KEYS = [
  "security",
  "ask",
  "timeoutMs",
  "askFallback",
  "allowlist",
  "denylist",
  "safeIsMiss",
  "sandbox",
  "assurance",
];

/** Who made an entry, when and how often it was used doesn't change what it allows. */
const RECORD_KEYS = ["id", "by", "atMs", "why", "hits", "lastUsedAtMs"];
const RULE_KEYS = ["pattern", "ceiling", "expiresAtMs"];

/** Whether `entry` allows nothing that one of `others` doesn't. */
export function isEntryWithin(entry: Entry, others: readonly Entry[]): boolean {
  return others.some(
    (other) =>
      other.pattern === entry.pattern &&
      expiry(entry) <= expiry(other) &&
      isCeilingWithin(entry.ceiling ?? DEFAULT_CEILING, other.ceiling ?? DEFAULT_CEILING) &&
      sameUnknown(entry, other),
  );
}

/** Whether one of `others` denies all that `entry` denies, and as long. */
export function isDeniedBy(entry: Entry, others: readonly Entry[]): boolean {
  return others.some((other) => other.pattern === entry.pattern && expiry(entry) <= expiry(other));
}

export function unknownKeys(value: Readonly<Record<string, unknown>>, known: readonly string[]): string[] {
  return Object.keys(value).filter((key) => !known.includes(key));
}

/** Key order apart, whether two JSON values are the same. */
export function sameValue(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function expiry(entry: Entry): number {
  return entry.expiresAtMs ?? Number.POSITIVE_INFINITY;
}

function isCeilingWithin(inner: Ceiling, outer: Ceiling): boolean {
  if (!inner.kinds.every((kind) => outer.kinds.includes(kind)) || rank(inner.risk) > rank(outer.risk)) return false;
  const { roots, options, subcommand, hosts } = outer;
  if (roots !== undefined && !inner.roots?.every((root) => isInsideAny(root, roots))) return false;
  if (options !== undefined && (inner.options === undefined || !allowsOptions(options, inner.options))) return false;
  if (hosts !== undefined && !inner.hosts?.every((host) => hosts.includes(host))) return false;
  // Where one of them is given, `roots` also bind where the command runs: without it they bind less.
  const bindsPlace = (one: Ceiling) => one.options !== undefined || one.subcommand !== undefined;
  if (roots !== undefined && bindsPlace(outer) && !bindsPlace(inner)) return false;
  return subcommand === undefined || inner.subcommand === subcommand;
}

function sameUnknown(a: Entry, b: Entry): boolean {
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
