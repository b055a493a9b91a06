import type { Carrier } from "../catalog/index.ts";
import type { Effect } from "../model/index.ts";
import type { Draft } from "../shell/index.ts";

/** Starts a separate draft for what a command may do if its variables have one of their possible values. */
export function startSuspicion(draft: Draft): Draft {
  return { ...draft, parts: [], loose: [], definitions: [] };
}

/** Adds the dangerous effects of the scratch draft, and their parts. None is certain, so no entry covers it. */
export function finishSuspicion(draft: Draft, scratch: Draft): readonly never[] {
  const { keep, parts } = finish(draft, scratch, isDangerous);
  draft.parts.push(...parts.filter((part) => part.effects.length > 0));
  draft.loose.push(...scratch.loose.flatMap(keep));
  return [];
}

/** Adds what a carrier runs: deny entries see all parts, but only dangerous effects count. */
export function finishCarried(draft: Draft, scratch: Draft, where: Carrier["where"]): readonly never[] {
  const { keep, parts } = finish(draft, scratch, (effect) => isDangerous(effect) && reachesFrom(effect, where));
  const here =
    where === undefined ? parts : parts.map((part) => ({ ...part, effects: part.effects.map(withoutFloor) }));
  draft.parts.push(...here);
  draft.loose.push(
    ...scratch.loose.flatMap(keep).map((effect) => (where === undefined ? effect : withoutFloor(effect))),
  );
  return [];
}

function finish(draft: Draft, scratch: Draft, counts: (effect: Effect) => boolean) {
  draft.commands = scratch.commands;
  draft.assignments = scratch.assignments;
  const found = [...draft.loose, ...draft.parts.flatMap((part) => part.effects)].filter(isDangerous);
  const keep = (effect: Effect): Effect[] =>
    counts(effect) && !found.some((one) => one.sentence === effect.sentence) ? [{ ...effect, own: false }] : [];
  const parts = scratch.parts.map((part) => ({ ...part, wrapper: undefined, effects: part.effects.flatMap(keep) }));
  return { keep, parts };
}

function isDangerous(effect: Effect): boolean {
  return effect.risk === "dangerous";
}

/**
 * Reports whether an effect inside a container or on another host concerns this machine: its paths and secrets aren't
 * ours.
 */
function reachesFrom({ ruleId, kind }: Effect, where: Carrier["where"]): boolean {
  if (where === undefined) return true;
  if (where === "host") return !ruleId.startsWith("path.") || kind === "credentials" || kind === "persistence";
  return !ruleId.startsWith("path.") && kind !== "credentials";
}

function withoutFloor({ floor: _, ...effect }: Effect): Effect {
  return effect;
}
