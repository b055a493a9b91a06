import type { EffectKind } from "@countersign/vocabulary";
import { type Classification, type Effect, isInside } from "../model/index.ts";
import { type Circumstances, type Denial, type DeniedEffect, findLoose, underEnforcement } from "../profile/index.ts";

const MAX_DENIED_EFFECTS = 64;

/** Returns the effects to remember of a denied proposal: all that aren't safe. */
export function deniedEffects(
  classification: Classification,
  circumstances: Pick<Circumstances, "enforcement">,
): DeniedEffect[] {
  const found = new Map<string, DeniedEffect>();
  for (const effect of unsafe(classification, circumstances)) {
    found.set(`${effect.kind} ${effect.target ?? ""}`, effect);
  }
  const effects = [...found.values()];
  if (effects.length <= MAX_DENIED_EFFECTS) return effects;
  // A kind without a target matches all of its kind, so a long command's last effects aren't lost.
  return [...new Set(effects.map(({ kind }) => kind))].map((kind) => ({ kind }));
}

/** Returns the denial of the same proposal, if it still applies. */
export function findRepeated({ denials = [], proposalHash, nowMs }: Circumstances): Denial | undefined {
  if (proposalHash === undefined) return undefined;
  return denials.findLast((denial) => denial.proposalHash === proposalHash && denial.standsUntilMs > nowMs);
}

/** Returns the newest denial with an effect in common. Safe effects don't count. */
export function findSimilar(classification: Classification, circumstances: Circumstances): Denial | undefined {
  const { denials = [] } = circumstances;
  if (denials.length === 0) return undefined;
  const effects = unsafe(classification, circumstances);
  const similar = denials.filter((denial) => denial.effects.some((one) => effects.some((two) => overlap(one, two))));
  return similar.reduce<Denial | undefined>((a, b) => (a === undefined || b.atMs >= a.atMs ? b : a), undefined);
}

export function describeSimilar({ command, by, reason }: Denial): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  return `Similar to what you denied: ${command} (denied by ${by}${why})`;
}

/**
 * Returns the effects that aren't safe. The target of running something is the program, unless the effect names
 * another.
 */
function unsafe(classification: Classification, { enforcement }: Pick<Circumstances, "enforcement">): DeniedEffect[] {
  const isUnsafe = (effect: Effect) => underEnforcement(effect, enforcement).risk !== "safe";
  const ofParts = classification.parts.flatMap(({ effects, program, words }) =>
    effects.filter(isUnsafe).map(({ kind, target }) => {
      const run = kind === "executes" ? (program ?? words[0]) : undefined;
      return named(kind, target ?? run);
    }),
  );
  const loose = findLoose(classification).filter(isUnsafe);
  return [...ofParts, ...loose.map(({ kind, target }) => named(kind, target))];
}

function named(kind: EffectKind, target: string | null | undefined): DeniedEffect {
  return target === undefined || target === null ? { kind } : { kind, target };
}

/**
 * Reports whether effects share their kind or their target. Effects of kind `executes` match only if the program may be
 * the same.
 */
function overlap(denied: DeniedEffect, effect: DeniedEffect): boolean {
  const { target } = effect;
  const known = denied.target !== undefined && target !== undefined;
  if (known && (isInside(target, denied.target) || isInside(denied.target, target))) return true;
  return denied.kind === effect.kind && !(known && effect.kind === "executes");
}
