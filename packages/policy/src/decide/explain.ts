import type { EffectKind, Enforcement, RiskLevel, Verdict } from "@countersign/vocabulary";
import { type DerivedEntries, deriveEntries } from "../entries/index.ts";
import { type Classification, type Decision, type Effect, type Span, worst } from "../model/index.ts";
import type { ShownScript, ShowScript } from "../parse/index.ts";
import { type Assessment, type Circumstances, type Profile, underEnforcement } from "../profile/index.ts";

/** An effect as shown to people and returned by the API. */
export interface ExplainedEffect
  extends Pick<Effect, "kind" | "risk" | "sentence" | "layer" | "ruleId" | "span" | "target"> {
  /** Content of the script that it runs. It is untrusted text. */
  readonly script?: ShownScript;
}

/** A span of the command that isn't safe, to be underlined. */
export interface MarkedSpan extends Span {
  readonly risk: RiskLevel;
  readonly kinds: readonly EffectKind[];
}

export interface Explanation extends Assessment {
  readonly command: string;
  /** The enforcement now. The risk, the effects and the decision assume it. */
  readonly enforcement: Enforcement;
  /** The command couldn't be parsed to its end. */
  readonly opaque: boolean;
  readonly spans: readonly MarkedSpan[];
  readonly effects: readonly ExplainedEffect[];
  readonly decision: Pick<Decision, "verdict" | "by" | "reason" | "entryIds">;
  /** Risk and verdict in a jail, if they would differ. */
  readonly inJail?: Assessment & { readonly verdict: Verdict };
  /** What `allow-always` would save, if the decision asks. */
  readonly always?: DerivedEntries;
}

export interface ExplainFacts {
  readonly decision: Decision;
  /** The same decision, assuming a jail. */
  readonly inJail: Decision;
  readonly enforcement: Enforcement;
  /** If given, the saved entries pin the code that the command runs. */
  readonly hashFile?: Circumstances["hashFile"] | undefined;
  readonly profile: Pick<Profile, "safeIsMiss">;
  readonly roots: readonly string[];
  /** Returns the content of scripts, if the caller read them. */
  readonly showScript?: ShowScript | undefined;
}

/** Returns everything that a person needs to understand a decision. The page, the CLI and the API show it. */
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

/** Returns each span once, in order of the text, outer before inner. */
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
