import type { EffectKind, Enforcement, RiskLevel, Verdict } from "@countersign/vocabulary";
import { type DerivedEntries, deriveEntries } from "../entries/index.ts";
import { type Classification, type Decision, type Effect, type Span, worst } from "../model/index.ts";
import type { ShownScript, ShowScript } from "../parse/index.ts";
import { type Assessment, type Circumstances, type Profile, underEnforcement } from "../profile/index.ts";

/** An effect as people and machines are told of it. */
export interface ExplainedEffect
  extends Pick<Effect, "kind" | "risk" | "sentence" | "layer" | "ruleId" | "span" | "target"> {
  /** What stands in the script that it runs: somebody else's text. */
  readonly script?: ShownScript;
}

/** A part of the command that isn't safe, to be underlined. */
export interface MarkedSpan extends Span {
  readonly risk: RiskLevel;
  readonly kinds: readonly EffectKind[];
}

export interface Explanation extends Assessment {
  readonly command: string;
  /** What holds the run to what was predicted, as things stand. The risk, the effects and the decision are under it. */
  readonly enforcement: Enforcement;
  /** The command could not be read to its end. */
  readonly opaque: boolean;
  readonly spans: readonly MarkedSpan[];
  readonly effects: readonly ExplainedEffect[];
  readonly decision: Pick<Decision, "verdict" | "by" | "reason" | "entryIds">;
  /** Where a jail would change the risk or the decision: how it would be in one. */
  readonly inJail?: Assessment & { readonly verdict: Verdict };
  /** Where it asks: what `allow-always` would save. */
  readonly always?: DerivedEntries;
}

export interface ExplainFacts {
  readonly decision: Decision;
  /** The same decision, a jail assumed. */
  readonly inJail: Decision;
  readonly enforcement: Enforcement;
  /** With it, what would be saved holds the code that the command runs. */
  readonly hashFile?: Circumstances["hashFile"] | undefined;
  readonly profile: Pick<Profile, "safeIsMiss">;
  readonly roots: readonly string[];
  /** What stands in scripts, as far as somebody looked. */
  readonly showScript?: ShowScript | undefined;
}

/** Everything that a person needs to understand a decision: the page, the CLI and the API all show this. */
export function explain(command: string, classification: Classification, facts: ExplainFacts): Explanation {
  const { decision, inJail, enforcement, hashFile, profile, roots, showScript } = facts;
  const { verdict, by, reason, entryIds, riskLevel, riskReasons } = decision;
  const effects = explainEffects(classification, enforcement, showScript);
  const differs = inJail.riskLevel !== riskLevel || inJail.verdict !== verdict;
  return {
    command,
    riskLevel,
    riskReasons,
    enforcement,
    opaque: classification.opaque,
    spans: findSpans(effects),
    effects,
    decision: { verdict, by, reason, entryIds },
    ...(differs
      ? { inJail: { verdict: inJail.verdict, riskLevel: inJail.riskLevel, riskReasons: inJail.riskReasons } }
      : {}),
    ...(verdict === "ask"
      ? { always: deriveEntries(classification, { roots, safeIsMiss: profile.safeIsMiss, enforcement, hashFile }) }
      : {}),
  };
}

export function explainEffects(
  classification: Classification,
  enforcement: Enforcement,
  showScript?: ShowScript,
): ExplainedEffect[] {
  return classification.effects.map((effect) => {
    const { kind, risk, sentence, layer, ruleId, span, target } = underEnforcement(effect, enforcement);
    const script = effect.script && showScript?.(effect.script);
    return {
      kind,
      risk,
      sentence,
      layer,
      ruleId,
      span,
      ...(target === undefined ? {} : { target }),
      ...(script === undefined ? {} : { script }),
    };
  });
}

/** Each place once, in the order of the text, outer before inner. */
function findSpans(effects: readonly ExplainedEffect[]): MarkedSpan[] {
  const found = new Map<string, MarkedSpan>();
  for (const { span, risk, kind } of effects) {
    if (risk === "safe" || span.end <= span.pos) continue;
    const key = `${span.pos}-${span.end}`;
    const known = found.get(key);
    found.set(key, {
      ...span,
      risk: worst([risk, known?.risk ?? "safe"]),
      kinds: [...new Set([...(known?.kinds ?? []), kind])],
    });
  }
  return [...found.values()].sort((a, b) => a.pos - b.pos || b.end - a.end);
}
