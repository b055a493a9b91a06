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
 * The profile that allows only what both allow. `a` is the one that binds: keys that this version doesn't know are taken
 * from it alone, since nobody can say which of two values is stricter.
 *
 * `security` and `ask` are met together, by what becomes of commands. Two profiles can leave only `deny`: where one never
 * asks about misses and the other wants hits asked about, no row of the table satisfies both.
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

/** Everything of a profile that isn't a list. */
export type Settings = Pick<Profile, SettingKey>;

export function meetSettings(a: Settings, b: Settings): Settings {
  const askFallback = stricter(askFallbackSchema.options, a.askFallback, b.askFallback);
  return {
    ...meetTable(a, b),
    askFallback,
    // Where silence denies, a shorter wait lets less happen; where it allows, a longer one gives people time to say no.
    timeoutMs: askFallback === "deny" ? Math.min(a.timeoutMs, b.timeoutMs) : Math.max(a.timeoutMs, b.timeoutMs),
    safeIsMiss: a.safeIsMiss || b.safeIsMiss,
    sandbox: stricter(SANDBOX_ORDER, a.sandbox, b.sandbox),
    assurance: stricter(assuranceSchema.options, a.assurance, b.assurance),
    handBack: stricter(handBackSchema.options, a.handBack, b.handBack),
  };
}

/** The most permissive row that is, for hits and for misses, at most as permissive as both. */
function meetTable(a: Settings, b: Settings): Pick<Profile, "security" | "ask"> {
  const security = stricter(securitySchema.options, a.security, b.security);
  const rows = [...new Set([security, "deny" as const])].flatMap((one) =>
    askSchema.options.map((ask) => ({ security: one, ask })),
  );
  const permitted = rows.filter((row) => isAtMost(row, a) && isAtMost(row, b));
  const sum = (row: Pick<Profile, "security" | "ask">) => level(outcomes(row).hit) + level(outcomes(row).miss);
  // Of equal rows the one that leaves the floor denied, where either profile does, else the one that asks.
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

/** `options` run from strict to permissive. */
function stricter<Option>(options: readonly Option[], a: Option, b: Option): Option {
  return options.indexOf(a) < options.indexOf(b) ? a : b;
}
