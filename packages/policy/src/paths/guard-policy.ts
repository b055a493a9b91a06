import type { Effect } from "../model/index.ts";

const OURS = /\/\.countersign(\/|$)/;
/** What changes nothing there. */
const HARMLESS: readonly Effect["kind"][] = ["reads", "executes"];

/**
 * A repository's own policy lies in the repository, where an agent works: to read it is fine, to change it or take it away is
 * the floor, however it is done.
 */
export function guardPolicy(effect: Effect): Effect {
  if (effect.target === undefined || HARMLESS.includes(effect.kind) || !OURS.test(effect.target)) return effect;
  return { ...effect, risk: "dangerous", floor: true };
}
