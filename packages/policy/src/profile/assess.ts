import type { Enforcement, RiskLevel } from "@countersign/vocabulary";
import { type Classification, type Effect, reasons, worst } from "../model/index.ts";
import type { Circumstances } from "./circumstances.ts";

export interface Assessment {
  readonly riskLevel: RiskLevel;
  readonly riskReasons: readonly string[];
}

/** Returns the risk under the enforcement of the run. */
export function assess(classification: Classification, enforcement: Enforcement): Assessment {
  const effects = classification.effects.map((effect) => underEnforcement(effect, enforcement));
  return { riskLevel: worst(effects.map((effect) => effect.risk)), riskReasons: reasons(effects) };
}

/** Raises an effect that is safe only in a jail, if there is none. */
export function underEnforcement(effect: Effect, enforcement: Enforcement): Effect {
  if (enforcement === "jail" || !effect.reliesOnJail || effect.risk !== "safe") return effect;
  return { ...effect, risk: "needs-review", sentence: `${effect.sentence}, and no jail enforces that` };
}

export function isSafe(effects: readonly Effect[], { enforcement }: Pick<Circumstances, "enforcement">): boolean {
  return effects.every((effect) => !effect.floor && underEnforcement(effect, enforcement).risk === "safe");
}

/** Returns the effects that belong to no part. Compares values, so that a stored classification works too. */
export function findLoose(classification: Classification): Effect[] {
  const owned = new Set(classification.parts.flatMap((part) => part.effects.map((effect) => JSON.stringify(effect))));
  return classification.effects.filter((effect) => !owned.has(JSON.stringify(effect)));
}
