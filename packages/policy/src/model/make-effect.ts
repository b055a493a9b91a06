import type { Effect, Span } from "./effect.ts";

type Given<Name extends keyof Effect> = { readonly [Key in Name]?: Effect[Key] | undefined };

/** What an effect must say for itself; the rest has the value that most effects of the shell have. */
export type EffectDetails = Pick<Effect, "kind" | "ruleId" | "sentence"> &
  Given<"risk" | "layer" | "own" | "target" | "reliesOnJail" | "floor" | "hosts" | "script">;

/**
 * An effect that needs a person and isn't the program's own, unless `details` say otherwise. Every effect is made here, name by
 * name: copying objects of many shapes is what a classification would otherwise spend its time on.
 */
export function makeEffect(span: Span, details: EffectDetails): Effect {
  const { kind, ruleId, sentence, risk = "needs-review", layer = "shell-syntax", own = false } = details;
  const effect: { -readonly [Key in keyof Effect]: Effect[Key] } = { kind, risk, span, layer, ruleId, sentence, own };
  if (details.target !== undefined) effect.target = details.target;
  if (details.reliesOnJail) effect.reliesOnJail = true;
  if (details.floor) effect.floor = true;
  if (details.hosts !== undefined) effect.hosts = details.hosts;
  if (details.script !== undefined) effect.script = details.script;
  return effect;
}
