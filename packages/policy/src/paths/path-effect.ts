import type { EffectKind, RiskLevel, SafetyLayer } from "@countersign/vocabulary";
import { type Effect, type Machine, makeEffect, type Span, WILD } from "../model/index.ts";
import type { Directory } from "../shell/index.ts";

/** Who accesses the path, and from where. */
export interface PathSite {
  readonly machine: Machine;
  readonly directory: Directory;
  readonly span: Span;
  /** False for redirects, which the shell performs. */
  readonly own: boolean;
  readonly layer: SafetyLayer;
  /** The proposal's text before the program; undefined if the program isn't in the proposal itself. */
  readonly before?: string | undefined;
}

export interface PathFinding {
  readonly kind: EffectKind;
  readonly risk: RiskLevel;
  readonly ruleId: string;
  readonly verb: string;
  readonly path?: string;
}

/**
 * Returns the effect of accessing a path. The sentence shows unknown parts as `*`; the target is set only if it is
 * known.
 */
export function makePathEffect(site: PathSite, { kind, risk, ruleId, verb, path }: PathFinding): Effect {
  const { span, layer, own } = site;
  const about = { kind, risk, layer, ruleId, own };
  if (path === undefined) return makeEffect(span, { ...about, sentence: verb });
  if (path.includes(WILD)) return makeEffect(span, { ...about, sentence: `${verb}: ${path.replaceAll(WILD, "*")}` });
  return makeEffect(span, { ...about, sentence: `${verb}: ${path}`, target: path });
}
