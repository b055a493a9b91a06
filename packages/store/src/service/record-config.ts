import { type Clock, sha256Hex } from "@countersign/core/base";
import type { Config } from "@countersign/core/config";
import type { Store } from "../contract/index.ts";

const SEEN = "config.seen";
/** What a receipt names at the most. */
const MAX_NAMES = 64;
const LONGEST_NAME = 100;
/** How deep settings are named; what is deeper is part of one. */
const LEVELS = 3;

/** Where a setting stands. As a key it is JSON: a name may hold whatever would stand between two. */
type Path = readonly string[];

/** A person is asked about these, and the answer is on record: see `ActiveConfig`. */
const ASKED_ABOUT = new Set(
  [
    ["agents"],
    ["roots"],
    ["providers"],
    ["receipts", "emitters"],
    ["notify", "channels"],
    ["notify", "push", "reach"],
  ].map(keyOf),
);

interface Recording {
  readonly store: Store;
  readonly clock: Clock;
  /** Whose settings they are, for whoever reads the record. */
  readonly file: "config.json" | "the recorder's config.json";
}

/**
 * Puts on record which settings of `config.json` are others than at the last start. By name: a value may be a secret, and a hash of a short one can be
 * guessed, so those stay in the store.
 */
export async function recordConfigChanges(config: Config, { store, clock, file }: Recording): Promise<void> {
  const seen = hashesOf(config);
  const before = (await store.setting(SEEN)) as Readonly<Record<string, string>> | undefined;
  const changed = before === undefined ? [] : changedNames(before, seen);
  if (before !== undefined && changed.length === 0) return;
  const named = changed.slice(0, MAX_NAMES).map((name) => name.slice(0, LONGEST_NAME).toWellFormed());
  const body = { file, changed: named, ...(named.length < changed.length ? { of: changed.length } : {}) };
  const draft = { type: "config-changed", sessionId: null, proposalKey: null, atMs: clock.wallMs(), body } as const;
  await store.commit([
    { op: "put-setting", key: SEEN, value: seen },
    ...(changed.length === 0 ? [] : [{ op: "append", draft } as const]),
  ]);
}

function hashesOf(config: Config): Record<string, string> {
  return Object.fromEntries(settingsIn(config).map(([path, value]) => [keyOf(path), hashOf(value)]));
}

function settingsIn(value: unknown, path: Path = []): (readonly [Path, unknown])[] {
  if (value === undefined || ASKED_ABOUT.has(keyOf(path))) return [];
  if (!isObject(value) || path.length === LEVELS) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => settingsIn(inner, [...path, name]));
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** Whatever stands there, also what no receipt could hold; but in which order doesn't count. */
function hashOf(value: unknown): string {
  const inOrder = (_: string, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner;
  return sha256Hex(JSON.stringify(value, inOrder));
}

function changedNames(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const changed = keys.filter((key) => before[key] !== now[key]);
  return changed.map((key) => (JSON.parse(key) as Path).join(".")).sort();
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
