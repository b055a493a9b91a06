import { canonicalize, type Json } from "@countersign/receipts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { sha256Hex } from "../sha256.ts";
import type { Store } from "../store/store.ts";

const SEEN = "config.seen";
/** What a receipt names at the most. */
const MAX_NAMES = 64;
const LONGEST_NAME = 100;
/** A person is asked about these, and the answer is on record: see `ActiveConfig`. */
const ASKED_ABOUT = new Set(["agents", "roots", "providers", "receipts.emitters", "notify.channels", "notify.push"]);

/**
 * Puts on record which settings of `config.json` are others than at the last start. By name: a value may be a secret, and a hash of a short one can be
 * guessed, so those stay in the store.
 */
export async function recordConfigChanges(
  config: Config,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): Promise<void> {
  const seen = hashesOf(config);
  const before = (await store.setting(SEEN)) as Readonly<Record<string, string>> | undefined;
  const changed = before === undefined ? [] : changedNames(before, seen);
  if (before !== undefined && changed.length === 0) return;
  const named = changed.slice(0, MAX_NAMES).map((name) => name.slice(0, LONGEST_NAME));
  const body = {
    file: "config.json",
    changed: named,
    ...(named.length < changed.length ? { of: changed.length } : {}),
  };
  const draft = { type: "config-changed", sessionId: null, proposalKey: null, atMs: clock.wallMs(), body } as const;
  await store.commit([
    { op: "put-setting", key: SEEN, value: seen },
    ...(changed.length === 0 ? [] : [{ op: "append", draft } as const]),
  ]);
}

/** By name, two levels deep. */
function hashesOf(config: Config): Record<string, string> {
  const settings = Object.entries(config).flatMap(([key, value]) =>
    isObject(value) && !ASKED_ABOUT.has(key)
      ? Object.entries(value).map(([name, inner]) => [`${key}.${name}`, inner] as const)
      : [[key, value] as const],
  );
  const ours = settings.filter(([name, value]) => value !== undefined && !ASKED_ABOUT.has(name));
  return Object.fromEntries(ours.map(([name, value]) => [name, sha256Hex(canonicalize(value as Json))]));
}

function changedNames(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.filter((name) => before[name] !== now[name]);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
