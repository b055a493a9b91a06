import type { Effect, Span } from "./effect.ts";
import { makeEffect } from "./make-effect.ts";
import { CODE_LOADING_NAMES, HARMLESS_NAMES } from "./tables/environment.ts";

const harmless = HARMLESS_NAMES.map((rule) => ({ name: new RegExp(rule.name), value: new RegExp(rule.value) }));
const codeLoading = CODE_LOADING_NAMES.map((name) => new RegExp(name));

/** The rule that finds variables by which programs load or run other code. */
export const CODE_LOADING = "environment.code-loading";

/** What setting a variable means for the programs that see it. `value` is null when it isn't literal. */
export function judgeVariable(name: string, value: string | null, span: Span): Effect[] {
  if (value !== null && harmless.some((rule) => rule.name.test(name) && rule.value.test(value))) return [];
  const loads = refusedInEnv(name);
  const sentence = loads
    ? `Sets ${name}, which can make programs load or run other code`
    : `Sets the variable ${name}, which other programs may act on`;
  const ruleId = loads ? CODE_LOADING : "environment.variable";
  return [makeEffect(span, { kind: "environment", ruleId, sentence, target: name })];
}

/** A proposal's `env` may never hold such a name, whatever the profile says. */
export function refusedInEnv(name: string): boolean {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return true;
  return codeLoading.some((test) => test.test(name));
}
