import { type EffectKind, RISK_LEVELS, type RiskLevel, type SafetyLayer } from "@countersign/vocabulary";
import { MAX_REASONS } from "./limits.ts";

/** UTF-16 offsets into the proposed command, half open. */
export interface Span {
  readonly pos: number;
  readonly end: number;
}

/** A script of a package.json: its name, and the one file that has it. */
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
  /** What is touched, when it is known: an absolute path, a host, a program. */
  readonly target?: string;
  /**
   * True when the program itself causes it. Only such effects can be covered by an allow entry: redirects, environment,
   * expansions and programs run by this program are not the program's own.
   */
  readonly own: boolean;
  /** Safe only while a jail hides secrets and refuses writes; without one, `decide` treats it as needs-review. */
  readonly reliesOnJail?: true;
  /** Part of the floor: never allowed without a person, whatever the profile says. */
  readonly floor?: true;
  /** For a service of the tables: the only machines it is asked at (`*.` stands for any names before it); empty: none is known. */
  readonly hosts?: readonly string[];
  /** The path that was named is a link or has one on the way: `target` is where it leads, or what it is called. */
  readonly linked?: true;
  /** What it runs, where that is a script whose text can be looked up. Lexical: nobody has looked whether it is there. */
  readonly script?: NamedScript;
}

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

export function shellEffect(kind: EffectKind, sentence: string, span: Span): Effect {
  return makeEffect(span, { kind, ruleId: `shell.${kind}`, sentence });
}
