import { leftWords, SCRIPT_OMISSION_WORDS, scriptsOf } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload, ShownScript } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { VisibleText } from "../ui/index.ts";

type Effect = ExecApprovalRequestPayload["effects"][number];

type Judged = Pick<ExecApprovalRequestPayload, "command" | "effects" | "riskReasons" | "riskLevel">;

/** More safe effects add no information. */
const MOST_SAFE = 6;
const MOST_TARGETS = 5;

/** What a command would do, as sentences: the worst first, harmless effects folded. */
export function EffectsList({ card }: { card: Judged }): VNode {
  const risky = sentencesOf(card);
  const safe = [...new Set(card.effects.filter(({ risk }) => risk === "safe").map(({ sentence }) => sentence))];
  return (
    <section class="effects" aria-labelledby="effects-title">
      <h3 id="effects-title">What it would do</h3>
      <ul class="bullets">
        {risky.map(({ sentence, risk, scripts }) => (
          <li key={sentence} class={risk}>
            {risk === "dangerous" && <span class="heard">Dangerous: </span>}
            <VisibleText text={sentence} />
            <ScriptTexts scripts={scripts} />
          </li>
        ))}
        {risky.length === 0 && safe.length === 0 && <li>Nothing that could be told apart.</li>}
      </ul>
      {safe.length > 0 && (
        <details>
          <summary>
            {safe.length === 1 ? "One harmless thing" : `${safe.length} harmless things`}
            {risky.length > 0 ? " beside" : ""}
          </summary>
          <ul class="bullets">
            {safe.slice(0, MOST_SAFE).map((sentence) => (
              <li key={sentence}>
                <VisibleText text={sentence} />
              </li>
            ))}
            {safe.length > MOST_SAFE && <li class="quiet">and {safe.length - MOST_SAFE} more like these</li>}
          </ul>
        </details>
      )}
    </section>
  );
}

/** Part of the protocol's wording; the list doesn't need it. */
const PATTERN = /^Matches dangerous pattern: /;

interface Sentence {
  readonly sentence: string;
  readonly risk: Effect["risk"];
  /** The texts of the scripts that the effect comes from. */
  readonly scripts: readonly ShownScript[];
}

/** Every unsafe effect once, the worst first, then the reasons that no effect states. */
export function sentencesOf({ effects, riskReasons, riskLevel, command }: Judged): Sentence[] {
  const found = new Map<string, Effect["risk"]>();
  const deleted = unsaidDeletions(effects);
  if (deleted) found.set(deleted.sentence, deleted.risk);
  for (const { sentence, risk } of effects)
    if (risk !== "safe" && found.get(sentence) !== "dangerous") found.set(sentence, risk);
  for (const reason of riskReasons)
    if (!found.has(reason)) found.set(reason, found.size === 0 ? riskLevel : "needs-review");
  const all = [...found].map(([sentence, risk]) => ({
    sentence: inShort(sentence, command),
    risk,
    scripts: scriptsOf(effects.filter((effect) => effect.sentence === sentence)),
  }));
  return [...all.filter(({ risk }) => risk === "dangerous"), ...all.filter(({ risk }) => risk !== "dangerous")];
}

/** First, a rule about flags that says it leaves open what is deleted. */
function unsaidDeletions(effects: readonly Effect[]): Omit<Sentence, "scripts"> | undefined {
  const unsaid = effects.filter(
    ({ kind, sentence, target }) => kind === "deletes" && target && !sentence.includes(target),
  );
  const targets = [...new Set(unsaid.map(({ target }) => target))];
  if (targets.length === 0) return undefined;
  const more = targets.length > MOST_TARGETS ? ` and ${targets.length - MOST_TARGETS} more` : "";
  const risk = unsaid.some((effect) => effect.risk === "dangerous") ? "dangerous" : "needs-review";
  return { sentence: `Deletes ${targets.slice(0, MOST_TARGETS).join(", ")}${more}`, risk };
}

/** Capitalizes a sentence, but not one that begins with a program's name. */
export function inShort(sentence: string, command: string): string {
  const rest = sentence.replace(PATTERN, "");
  if (rest === sentence) return sentence;
  const [first = ""] = rest.split(" ");
  return command.includes(first) ? rest : rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The texts of the scripts behind an effect. Others wrote them, so they are shown verbatim and never summarized. */
export function ScriptTexts({ scripts }: { scripts: readonly ShownScript[] }): VNode | null {
  if (scripts.length === 0) return null;
  return (
    <ul class="script-texts">
      {scripts.map(({ file, runs = [], silence }) => [
        silence !== undefined && (
          <li key={file} class="quiet">
            Its text isn’t here: {SCRIPT_OMISSION_WORDS[silence]}.
          </li>
        ),
        ...runs.map(({ name, text, left }) => (
          <li key={`${file} ${name}`}>
            <VisibleText text={name} />:{" "}
            <code>
              <VisibleText text={text} />
            </code>
            {left !== undefined && <strong> {leftWords(left)}</strong>}
          </li>
        )),
      ])}
    </ul>
  );
}
