import type { Effect, Span } from "./effect.ts";

/** What an effect must say for itself; the rest has the value that most effects of the shell have. */
export type EffectDetails = Pick<Effect, "kind" | "ruleId" | "sentence"> & Partial<Omit<Effect, "span">>;

/** An effect that needs a person and isn't the program's own, unless `details` say otherwise. */
export function makeEffect(span: Span, details: EffectDetails): Effect {
  return { risk: "needs-review", layer: "shell-syntax", own: false, ...details, span };
}
