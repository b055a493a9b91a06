import type { EffectKind, RiskLevel, SafetyLayer } from "@countersign/vocabulary";
import { type Effect, type Machine, makeEffect, type Span, WILD } from "../model/index.ts";
import type { Directory } from "../shell/index.ts";

/** Who touches the path, from where. */
export interface PathSite {
  readonly machine: Machine;
  readonly directory: Directory;
  readonly span: Span;
  /** False for redirects: they are the shell's, not the program's. */
  readonly own: boolean;
  readonly layer: SafetyLayer;
  /** What stands before the program in the proposal itself; nothing is said of a program elsewhere. */
  readonly before?: string | undefined;
}

export interface PathFinding {
  readonly kind: EffectKind;
  readonly risk: RiskLevel;
  readonly ruleId: string;
  readonly verb: string;
  readonly path?: string;
}

/** The effect of touching a path: the sentence shows unknown stretches as `*`, the target is only given when it is known. */
export function makePathEffect(site: PathSite, { kind, risk, ruleId, verb, path }: PathFinding): Effect {
  const { span, layer, own } = site;
  const about = { kind, risk, layer, ruleId, own };
  if (path === undefined) return makeEffect(span, { ...about, sentence: verb });
  if (path.includes(WILD)) return makeEffect(span, { ...about, sentence: `${verb}: ${path.replaceAll(WILD, "*")}` });
  return makeEffect(span, { ...about, sentence: `${verb}: ${path}`, target: path });
}
