import { VERDICTS } from "@countersign/vocabulary";
import {
  isDeniedBy,
  isEntryWithin,
  isGrantWithin,
  KNOWN_KEYS,
  outcomes,
  SANDBOX_ORDER,
  sameValue,
  unknownKeys,
} from "./compare.ts";
import type { LayerBlock } from "./layers.ts";
import { askFallbackSchema, type Ceiling, type Entry, handBackSchema, type Profile } from "./profile.ts";

/**
 * Returns one sentence for each thing that `to` allows and `from` doesn't; empty if `to` is equal or tighter.
 *
 * A change counts if something runs with less: unasked instead of asked, or by a person's answer instead of denied. So a
 * change of `allowlist` from `ask: off` to `on-miss` widens. The floor doesn't count, because it needs a person either way.
 */
export function describeWidening(from: Profile, to: Profile): string[] {
  return [
    ...compareTable(from, to),
    ...compareSilence(from, to),
    ...compareEntries(from, to),
    ...compareRest(from, to),
  ];
}

function compareTable(from: Profile, to: Profile): string[] {
  const before = outcomes(from);
  const after = outcomes(to);
  const wider = (["hit", "miss"] as const).some((key) => VERDICTS.indexOf(after[key]) < VERDICTS.indexOf(before[key]));
  if (!wider) return [];
  const changes = (["security", "ask"] as const).filter((key) => from[key] !== to[key]);
  return changes.map((key) => `${key}: ${from[key]} → ${to[key]}`);
}

function compareSilence(from: Profile, to: Profile): string[] {
  const { options } = askFallbackSchema;
  const found: string[] = [];
  if (options.indexOf(to.askFallback) > options.indexOf(from.askFallback)) {
    found.push(`askFallback: ${from.askFallback} → ${to.askFallback}`);
  }
  if (to.askFallback !== "deny" && to.timeoutMs < from.timeoutMs) {
    found.push(`timeoutMs: ${from.timeoutMs} → ${to.timeoutMs}, after which silence allows`);
  }
  return found;
}

function compareEntries(from: Profile, to: Profile): string[] {
  const added = to.allowlist.filter((entry) => !isEntryWithin(entry, from.allowlist));
  const granted = to.grants.filter((grant) => !isGrantWithin(grant, from.grants));
  const removed = from.denylist.filter((entry) => !isDeniedBy(entry, to.denylist));
  return [
    ...added.map(({ pattern, command }) => {
      const known = from.allowlist.some((entry) => entry.pattern === pattern && entry.command === command);
      return `allowlist: ${known ? "widens" : "adds"} ${JSON.stringify(command ?? pattern)}`;
    }),
    ...granted.map(({ root }) => `grants: adds ${JSON.stringify(root)}`),
    ...removed.map(({ pattern }) => {
      const kept = to.denylist.some((entry) => entry.pattern === pattern);
      return `denylist: ${kept ? "narrows" : "removes"} ${JSON.stringify(pattern)}`;
    }),
  ];
}

function compareRest(from: Profile, to: Profile): string[] {
  const found: string[] = [];
  if (from.safeIsMiss && !to.safeIsMiss) found.push("safeIsMiss: true → false");
  if (SANDBOX_ORDER.indexOf(to.sandbox) > SANDBOX_ORDER.indexOf(from.sandbox))
    found.push(`sandbox: ${from.sandbox} → ${to.sandbox}`);
  if (from.assurance === "device" && to.assurance !== "device") found.push("assurance: device → token");
  const { options } = handBackSchema;
  if (options.indexOf(to.handBack) > options.indexOf(from.handBack))
    found.push(`handBack: ${from.handBack} → ${to.handBack}`);
  const keys = new Set([...unknownKeys(from, KNOWN_KEYS), ...unknownKeys(to, KNOWN_KEYS)]);
  for (const key of keys)
    if (!sameValue(from[key], to[key])) found.push(`${key}: changed, and this version doesn't know what it allows`);
  return found;
}

/** Describes a ceiling in one line. */
type CeilingWords = (ceiling: Ceiling) => string;

const EMPTY: LayerBlock = { allowlist: [], denylist: [] };

/**
 * Returns one sentence for each thing that the new version of a layer's file may allow and the old one doesn't; empty
 * if it is equal or tighter. A changed setting is reported in either direction, because next to other layers either
 * value may be looser.
 */
export function describeLayerChange(
  from: LayerBlock = EMPTY,
  to: LayerBlock = EMPTY,
  tellCeiling: CeilingWords,
): string[] {
  const settings = Object.keys(from).filter((key) => key !== "allowlist" && key !== "denylist") as (keyof LayerBlock)[];
  return [
    ...settings
      .filter((key) => from[key] !== to[key])
      .map((key) => `${key}: ${String(from[key])} → ${String(to[key] ?? "not stated")}`),
    ...to.allowlist
      .filter((entry) => !isEntryWithin(entry, from.allowlist))
      .map((entry) => {
        const before = from.allowlist.filter(({ pattern }) => pattern === entry.pattern);
        return `allowlist: adds or widens ${JSON.stringify(entry.pattern)}${boundsWords(entry, before, tellCeiling)}`;
      }),
    ...from.denylist
      .filter((entry) => !isDeniedBy(entry, to.denylist))
      .map(({ pattern }) => `denylist: removes or shortens ${JSON.stringify(pattern)}`),
  ];
}

/** Describes the limits of an entry, and of earlier entries with its pattern, so that a widening is visible. */
function boundsWords(entry: Entry, before: readonly Entry[], tellCeiling: CeilingWords): string {
  const [now, ...then] = [entry, ...before].map((one) => boundsOf(one, tellCeiling) || "no bounds of its own");
  if (then.length > 0) return `: ${now}; until now: ${then.join(" | ")}`;
  const stated = boundsOf(entry, tellCeiling);
  return stated === "" ? "" : `: ${stated}`;
}

function boundsOf({ ceiling, directory, command, code, jail, lend, expiresAtMs }: Entry, tell: CeilingWords): string {
  const files = Object.keys(code ?? {}).length;
  const held = files === 1 ? "the code of one file" : `the code of ${files} files`;
  return [
    ...(command === undefined ? [] : [`exactly ${JSON.stringify(command)}`]),
    ...(ceiling === undefined ? [] : [tell(ceiling)]),
    // A repository's entries have both, with the same value.
    ...(directory === undefined || ceiling?.roots?.join() === directory ? [] : [`inside ${directory}`]),
    ...(files === 0 ? [] : [`while ${held} stays as it is`]),
    ...(jail === undefined ? [] : [`jail ${jail}`]),
    ...(lend ? ["with credentials"] : []),
    ...(expiresAtMs === undefined ? [] : [`until ${new Date(expiresAtMs).toISOString()}`]),
  ].join("; ");
}
