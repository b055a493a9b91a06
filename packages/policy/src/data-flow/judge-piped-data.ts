import {
  INPUT_SENDERS,
  INPUT_SENDERS_WITH,
  PRINTS_ITS_WORDS,
  REMOTE_KEEPERS,
  SECRET_SEARCH,
  SHOWS_ENVIRONMENT,
  TAKES_CREDENTIAL,
} from "../catalog/index.ts";
import { basename, type EffectDetails, isInsideAny, makeEffect } from "../model/index.ts";
import type { Draft, DraftPart } from "../shell/index.ts";
import { matchDangers } from "../tools/index.ts";
import { isToThisMachine, SHOWS_SECRET } from "./judge-leaks.ts";

const sendersWith = INPUT_SENDERS_WITH.map(({ names, form }) => ({ names, form: new RegExp(form) }));
const secretSearch = new RegExp(SECRET_SEARCH);
const takesCredential = new RegExp(TAKES_CREDENTIAL);

/** What one stage of a pipeline does with what the stages before it print: sends it, searches it, runs it as statements. */
export function judgePipedData(draft: Draft, starts: readonly number[]): void {
  for (let stage = 1; stage < starts.length; stage += 1) {
    const before = draft.parts.slice(starts[0], starts[stage]);
    for (const part of draft.parts.slice(starts[stage], starts[stage + 1])) {
      for (const details of judgePart(part, before, draft)) part.effects.push(makeEffect(part.span, details));
      if (part.words.some((word) => word !== null && takesCredential.test(word))) excuse(before);
    }
  }
}

function judgePart(part: DraftPart, before: readonly DraftPart[], draft: Draft): EffectDetails[] {
  const name = basename(part.words[0] ?? "");
  const words = part.words.slice(1);
  if (sendsInput(name, words) && !isToThisMachine(words) && !before.every(printsItsWords))
    return [grave("network-send", "leak.piped", `sends what it is piped to another machine with ${name}`)];
  if (REMOTE_KEEPERS.includes(name) && before.some((one) => readsAround(one, draft)))
    return [grave("network-send", "leak.piped", `sends files from outside the workspace with ${name}`)];
  if (before.some(showsEnvironment) && words.some((word) => word !== null && secretSearch.test(word)))
    return [grave("credentials", SHOWS_SECRET, "looks for credentials in the environment")];
  return judgeStatements(name, part, before.at(-1));
}

function grave(kind: EffectDetails["kind"], ruleId: string, what: string): EffectDetails {
  const sentence = `Matches dangerous pattern: ${what}`;
  return { kind, risk: "dangerous", layer: "dangerous-pattern", ruleId, sentence };
}

function sendsInput(name: string, words: readonly (string | null)[]): boolean {
  if (INPUT_SENDERS.includes(name)) return true;
  return sendersWith.some(
    ({ names, form }) => names.includes(name) && words.some((word) => word !== null && form.test(word)),
  );
}

function printsItsWords({ words }: DraftPart): boolean {
  const name = basename(words[0] ?? "");
  if (name === "jq") return words.includes("-n") || words.includes("--null-input");
  return PRINTS_ITS_WORDS.includes(name) && words.every((word) => word !== null);
}

/** Reads or is given something outside of the workspace. */
function readsAround({ effects }: DraftPart, { context }: Draft): boolean {
  return effects.some(
    ({ target }) => target?.startsWith("/") && !isInsideAny(target, context.roots) && !/^\/(usr|bin)\//.test(target),
  );
}

function showsEnvironment({ words }: DraftPart): boolean {
  const rest = words.slice(1);
  return SHOWS_ENVIRONMENT.includes(basename(words[0] ?? "")) && rest.every((word) => word?.startsWith("-"));
}

/** `echo 'DROP TABLE x' | psql`: what is printed are statements. */
function judgeStatements(name: string, { words, effects }: DraftPart, source: DraftPart | undefined): EffectDetails[] {
  if (source === undefined || !printsItsWords(source)) return [];
  const stdin = source.words.slice(1).join(" ");
  const input = {
    words: [...words.slice(1).map((word) => word ?? ""), stdin],
    stdin,
    subcommand: undefined,
    mayAbbreviate: () => true,
  };
  return matchDangers(name, input)
    .filter(({ text, id }) => text !== undefined || id.startsWith("database."))
    .filter(({ id }) => !effects.some((effect) => effect.ruleId === id))
    .map(({ kind, id, sentences }) => ({
      kind,
      risk: "dangerous",
      layer: "dangerous-pattern",
      ruleId: id,
      sentence: sentences[0] ?? "",
    }));
}

/** A credential that goes to where it belongs isn't shown. */
function excuse(parts: readonly DraftPart[]): void {
  for (const { effects } of parts) {
    const at = effects.findIndex((effect) => effect.ruleId === SHOWS_SECRET);
    if (at !== -1) effects.splice(at, 1);
  }
}
