import { homeDirectory } from "@countersign/core/host";
import { findPlaces, PlaceIndex } from "@countersign/jail";
import type { Classification, Effect } from "@countersign/policy";
import type { Proposal } from "./proposal.ts";

/** Of the machine, not of a hub: what was seen of a directory stands until the directory changes. */
const SEEN = new PlaceIndex();

/**
 * An agent's own search reads many files, and none of our jails is around it. All that a jail would do is hide what is secret:
 * where nothing is, the search needs none.
 */
export async function judgeSearch(classification: Classification, { executor }: Proposal): Promise<Classification> {
  if (executor.kind !== "external" || !executor.searches) return classification;
  if (!(await nothingToHide(classification.effects.filter(reliesOnJail)))) return classification;
  return {
    ...classification,
    effects: classification.effects.map(standAlone),
    parts: classification.parts.map((part) => ({ ...part, effects: part.effects.map(standAlone) })),
  };
}

function reliesOnJail({ kind, reliesOnJail }: Effect): boolean {
  return kind === "reads" && reliesOnJail === true;
}

function standAlone(effect: Effect): Effect {
  if (!reliesOnJail(effect)) return effect;
  const { reliesOnJail: _, ...rest } = effect;
  return rest;
}

async function nothingToHide(effects: readonly Effect[]): Promise<boolean> {
  for (const { target } of effects) {
    if (target === undefined) return false;
    const { secrets, complete } = await findPlaces(target, { home: homeDirectory(), index: SEEN });
    if (!complete || secrets.length > 0) return false;
  }
  return true;
}
