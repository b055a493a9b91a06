import { CODE_LOADING_NAMES, HARMLESS_NAMES, IGNORES_VARIABLES, RISKY_VARIABLES } from "../catalog/index.ts";
import { compilePattern, type Effect, makeEffect, type Span } from "../model/index.ts";
import { isForeignAddress } from "../parse/index.ts";

const compile = (form: string | undefined) => (form === undefined ? undefined : compilePattern(form));
const harmless = HARMLESS_NAMES.map((rule) => ({ name: new RegExp(rule.name), value: compile(rule.value) }));
const codeLoading = CODE_LOADING_NAMES.map((name) => new RegExp(name));
const risky = RISKY_VARIABLES.map((rule) => ({
  ...rule,
  name: new RegExp(rule.name),
  value: compile(rule.value),
  unless: compile(rule.unless),
}));

/** Rule id for variables that aren't known to make programs load or run other code. */
export const PLAIN_VARIABLE = "environment.variable";

/**
 * Returns the effects of setting a variable that programs see. Unknown parts of the value are `WILD`; it is null if
 * nothing is known.
 */
export function judgeVariable(name: string, value: string | null, span: Span): Effect[] {
  if (isHarmless(name, value)) return [];
  const grave = value === null ? undefined : risky.find((rule) => isRisky(rule, name, value));
  if (grave !== undefined) {
    const sentence = `Matches dangerous pattern: ${name} ${grave.says}`;
    const about = { kind: "environment", risk: "dangerous", layer: "dangerous-pattern", target: name } as const;
    return [makeEffect(span, { ...about, ruleId: "environment.risky", sentence })];
  }
  const loads = refusedInEnv(name);
  const sentence = loads
    ? `Sets ${name}, which can make programs load or run other code`
    : `Sets the variable ${name}, which other programs may act on`;
  const ruleId = loads ? "environment.code-loading" : PLAIN_VARIABLE;
  return [makeEffect(span, { kind: "environment", ruleId, sentence, target: name })];
}

/** Reports whether this program certainly ignores the variable. */
export function isIgnored(name: string, program: string): boolean {
  return IGNORES_VARIABLES.includes(program) && !refusedInEnv(name) && !harmless.some((rule) => rule.name.test(name));
}

/** Reports whether a proposal's `env` may never contain this name, whatever the profile says. */
export function refusedInEnv(name: string): boolean {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return true;
  if (harmless.some((rule) => rule.value === undefined && rule.name.test(name))) return false;
  return codeLoading.some((test) => test.test(name));
}

function isHarmless(name: string, value: string | null): boolean {
  return harmless.some(
    (rule) => rule.name.test(name) && (rule.value === undefined || (value !== null && rule.value.test(value))),
  );
}

function isRisky(rule: (typeof risky)[number], name: string, value: string): boolean {
  if (!rule.name.test(name) || rule.unless?.test(value)) return false;
  if (rule.foreign) return isForeignAddress(value);
  return rule.value?.test(value) ?? true;
}
