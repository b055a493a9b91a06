import { type Classification, type Effect, type RiskLevel, reasons, worst } from "../model/index.ts";
import type { Enforcement } from "./decision.ts";

export interface Assessment {
  readonly riskLevel: RiskLevel;
  readonly riskReasons: readonly string[];
}

/** The risk under the enforcement that the run will have. */
export function assess(classification: Classification, enforcement: Enforcement): Assessment {
  const effects = classification.effects.map((effect) => underEnforcement(effect, enforcement));
  return { riskLevel: worst(effects.map((effect) => effect.risk)), riskReasons: reasons(effects) };
}

/** An effect that only a jail makes safe isn't safe without one. */
export function underEnforcement(effect: Effect, enforcement: Enforcement): Effect {
  if (enforcement === "jail" || !effect.reliesOnJail || effect.risk !== "safe") return effect;
  return { ...effect, risk: "needs-review", sentence: `${effect.sentence}, and no jail holds it` };
}
