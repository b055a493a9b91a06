import type { Draft } from "./draft.ts";
import type { Effect } from "./effect.ts";

/** A draft of its own for what a command may do, if its variables hold what they may hold. */
export function startSuspicion(draft: Draft): Draft {
  return { ...draft, parts: [], loose: [], definitions: [] };
}

/** Takes over what is dangerous about it, with the parts that it belongs to. None of it is sure, so no entry covers it. */
export function finishSuspicion(draft: Draft, scratch: Draft): readonly never[] {
  draft.commands = scratch.commands;
  draft.assignments = scratch.assignments;
  const found = [...draft.loose, ...draft.parts.flatMap((part) => part.effects)];
  const isNew = (effect: Effect) =>
    effect.risk === "dangerous" && !found.some((one) => one.sentence === effect.sentence && one.risk === "dangerous");
  const own = (effect: Effect): Effect => ({ ...effect, own: false });
  for (const { wrapper: _, ...part } of scratch.parts) {
    const effects = part.effects.filter(isNew).map(own);
    if (effects.length > 0) draft.parts.push({ ...part, effects });
  }
  draft.loose.push(...scratch.loose.filter(isNew).map(own));
  return [];
}
