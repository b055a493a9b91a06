import { type Effect, RISK_LEVELS, type RiskLevel } from "./effect.ts";
import { MAX_REASONS } from "./limits.ts";

export function rank(risk: RiskLevel): number {
  return RISK_LEVELS.indexOf(risk);
}

export function worst(risks: Iterable<RiskLevel>): RiskLevel {
  let found: RiskLevel = "safe";
  for (const risk of risks) if (rank(risk) > rank(found)) found = risk;
  return found;
}

/** Distinct sentences, dangerous ones first; safe effects have nothing to answer for. */
export function reasons(effects: readonly Effect[]): string[] {
  const found = new Set<string>();
  for (const level of ["dangerous", "needs-review"] as const) {
    for (const effect of effects) if (effect.risk === level) found.add(effect.sentence);
  }
  return [...found].slice(0, MAX_REASONS);
}
