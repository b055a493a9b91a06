import type { Explanation, Span } from "@countersign/policy";
import { filterSecrets, filterSecretsDeep, holdsSecret, NOT_KEPT } from "./filter-secrets.ts";
import { redactAround, redactCommand, redaction } from "./redact-command.ts";
import { redactScript } from "./redact-script.ts";
import { namesIn } from "./whole-effects.ts";

/** An explanation as a card would show it; what it would save for good is told as far as it would be saved. */
export function redactExplanation(explanation: Explanation): Explanation {
  const { command, effects, inJail, always, decision } = explanation;
  const { text, at } = redaction(command, effects);
  const names = namesIn(effects);
  const sentence = (told: string) => redactAround(told, names);
  const moved = <T extends Span>(span: T): T => ({ ...span, pos: at(span.pos), end: at(span.end) });
  return {
    ...explanation,
    command: text,
    riskReasons: explanation.riskReasons.map(sentence),
    spans: explanation.spans.map(moved),
    effects: effects.map((effect) => ({
      ...effect,
      span: moved(effect.span),
      sentence: sentence(effect.sentence),
      ...(effect.target === undefined ? {} : { target: sentence(effect.target) }),
      ...(effect.script === undefined
        ? {}
        : { script: redactScript(effect.script, { command: redactCommand, path: sentence }) }),
    })),
    decision: { ...decision, reason: filterSecrets(decision.reason) },
    ...(inJail ? { inJail: { ...inJail, riskReasons: inJail.riskReasons.map(sentence) } } : {}),
    ...(always
      ? { always: holdsSecret(always.entries) ? { entries: [], note: NOT_KEPT } : filterSecretsDeep(always) }
      : {}),
  };
}
