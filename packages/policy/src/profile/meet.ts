import { type SettingKey, VERDICTS, type Verdict } from "@countersign/vocabulary";
import {
  isDeniedBy,
  isEntryWithin,
  isGrantWithin,
  KNOWN_KEYS,
  outcomes,
  SANDBOX_ORDER,
  unknownKeys,
} from "./compare.ts";
import {
  askFallbackSchema,
  askSchema,
  assuranceSchema,
  handBackSchema,
  type Profile,
  securitySchema,
} from "./profile.ts";

/**
 * Returns the profile that allows only what both profiles allow. Unknown keys are taken from `a` alone, since it isn't known
 * which of two values is stricter.
 *
 * `security` and `ask` are combined by their verdicts. Two profiles may leave only `deny`: if one never asks about misses and
 * the other asks about hits, no row of the table satisfies both.
 */
export function meetProfiles(a: Profile, b: Profile): Profile {
  const unknown = Object.fromEntries(unknownKeys(a, KNOWN_KEYS).map((key) => [key, a[key]]));
  return {
    ...unknown,
    ...meetSettings(a, b),
    ...(a.env || b.env ? { env: { ...b.env, ...a.env } } : {}),
    allowlist: meetLists(a.allowlist, b.allowlist, isEntryWithin),
    grants: meetLists(a.grants, b.grants, isGrantWithin),
    denylist: [...a.denylist, ...b.denylist.filter((entry) => !isDeniedBy(entry, a.denylist))],
  };
}

/** All keys of a profile that aren't lists. */
export type Settings = Pick<Profile, SettingKey>;

export function meetSettings(a: Settings, b: Settings): Settings {
  const askFallback = stricter(askFallbackSchema.options, a.askFallback, b.askFallback);
  return {
    ...meetTable(a, b),
    askFallback,
    // If silence denies, a shorter wait allows less; if it allows, a longer wait gives people time to say no.
    timeoutMs: askFallback === "deny" ? Math.min(a.timeoutMs, b.timeoutMs) : Math.max(a.timeoutMs, b.timeoutMs),
    safeIsMiss: a.safeIsMiss || b.safeIsMiss,
    sandbox: stricter(SANDBOX_ORDER, a.sandbox, b.sandbox),
    assurance: stricter(assuranceSchema.options, a.assurance, b.assurance),
    handBack: stricter(handBackSchema.options, a.handBack, b.handBack),
  };
}

/** Returns the most permissive row that is no more permissive than either, for hits and for misses. */
function meetTable(a: Settings, b: Settings): Pick<Profile, "security" | "ask"> {
  const security = stricter(securitySchema.options, a.security, b.security);
  const rows = [...new Set([security, "deny" as const])].flatMap((one) =>
    askSchema.options.map((ask) => ({ security: one, ask })),
  );
  const permitted = rows.filter((row) => isAtMost(row, a) && isAtMost(row, b));
  const sum = (row: Pick<Profile, "security" | "ask">) => level(outcomes(row).hit) + level(outcomes(row).miss);
  // Of equal rows, prefer the one that denies the floor if either profile does, and the one that asks if not.
  const preferred = a.ask === "off" || b.ask === "off" ? ["off", "on-miss", "always"] : ["on-miss", "always", "off"];
  const sorted = permitted.sort((x, y) => sum(y) - sum(x) || preferred.indexOf(x.ask) - preferred.indexOf(y.ask));
  return sorted[0] ?? { security: "deny", ask: "off" };
}

function isAtMost(row: Pick<Profile, "security" | "ask">, other: Settings): boolean {
  const ours = outcomes(row);
  const theirs = outcomes(other);
  return level(ours.hit) <= level(theirs.hit) && level(ours.miss) <= level(theirs.miss);
}

/** Higher is more permissive. */
function level(outcome: Verdict): number {
  return -VERDICTS.indexOf(outcome);
}

function meetLists<T>(a: readonly T[], b: readonly T[], isWithin: (one: T, others: readonly T[]) => boolean): T[] {
  const fromA = a.filter((one) => isWithin(one, b));
  const fromB = b.filter((one) => isWithin(one, a) && !isWithin(one, fromA));
  return [...fromA, ...fromB];
}

/** Returns the stricter option. `options` are ordered from strict to permissive. */
function stricter<Option>(options: readonly Option[], a: Option, b: Option): Option {
  return options.indexOf(a) < options.indexOf(b) ? a : b;
}
