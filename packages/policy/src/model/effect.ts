import { type EffectKind, RISK_LEVELS, type RiskLevel, type SafetyLayer } from "@countersign/vocabulary";
import { MAX_REASONS } from "./limits.ts";

/** UTF-16 offsets into the proposed command, half open. */
export interface Span {
  readonly pos: number;
  readonly end: number;
}

/** A script of a package.json: its name, and the file that defines it. */
export interface NamedScript {
  readonly name: string;
  readonly file: string;
}

export interface Effect {
  readonly kind: EffectKind;
  readonly risk: RiskLevel;
  readonly span: Span;
  readonly layer: SafetyLayer;
  /** Stable id of the rule that found it, such as `rm.recursive-or-force`. */
  readonly ruleId: string;
  /** One plain sentence for a person. */
  readonly sentence: string;
  /** The absolute path, host or program that is affected, if it is known. */
  readonly target?: string;
  /**
   * True if the program itself causes the effect. Allow entries cover only such effects: redirects, environment,
   * expansions and programs that this program runs aren't its own.
   */
  readonly own: boolean;
  /** Safe only in a jail, which hides secrets and refuses writes. `decide` treats it as needs-review without one. */
  readonly reliesOnJail?: true;
  /** Part of the floor: only a person can allow it, whatever the profile says. */
  readonly floor?: true;
  /** The only hosts that this service is asked at (`*.` matches any subdomain); empty if none is known. */
  readonly hosts?: readonly string[];
  /** The named path is a link or contains one; `target` is the real path or the name. */
  readonly linked?: true;
  /** The package.json script that it runs. Nothing has checked whether the file exists. */
  readonly script?: NamedScript;
}

type Given<Name extends keyof Effect> = { readonly [Key in Name]?: Effect[Key] | undefined };

/** The fields that each effect states; the others have a default. */
export type EffectDetails = Pick<Effect, "kind" | "ruleId" | "sentence"> &
  Given<"risk" | "layer" | "own" | "target" | "reliesOnJail" | "floor" | "hosts" | "script">;

/**
 * Returns an effect that needs review and isn't the program's own, unless `details` say otherwise. Fields are copied
 * one by one because spreading objects of many shapes dominated the time of a classification.
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

export function rank(risk: RiskLevel): number {
  return RISK_LEVELS.indexOf(risk);
}

export function worst(risks: Iterable<RiskLevel>): RiskLevel {
  let found: RiskLevel = "safe";
  for (const risk of risks) if (rank(risk) > rank(found)) found = risk;
  return found;
}

/** Returns the distinct sentences of all effects that aren't safe, dangerous ones first. */
export function reasons(effects: readonly Effect[]): string[] {
  const found = new Set<string>();
  for (const level of ["dangerous", "needs-review"] as const) {
    for (const effect of effects) if (effect.risk === level) found.add(effect.sentence);
  }
  return [...found].slice(0, MAX_REASONS);
}

export function shellEffect(kind: EffectKind, sentence: string, span: Span): Effect {
  return makeEffect(span, { kind, ruleId: `shell.${kind}`, sentence });
}
