import { type LiteralWord, literalWords, type Span } from "@countersign/policy";
import { REDACTION_MARK } from "@countersign/protocol/text";
import { findSecrets, type SecretSpan } from "./find-secrets.ts";
import { concealsEffect, type EffectPlace, meets } from "./whole-effects.ts";

export interface Redaction {
  readonly text: string;
  /** Where an offset into the original stands in the redacted text. */
  at(offset: number): number;
}

/**
 * For the command that a person decides about. What runs is the unredacted text, so a redaction must never cover anything
 * that bash would act on: `ANTHROPIC_API_KEY=$(rm -rf ~)` stays readable. Only characters that stand for themselves, inside
 * one word, are hidden; never an operator, an expansion, a command's or an option's name, a redirect's target, nor the file or
 * machine that one of the effects is about. The length is shown. Without effects it is for the record, which nobody decides by.
 */
export function redaction(command: string, effects?: readonly EffectPlace[]): Redaction {
  const secrets = findSecrets(command);
  if (secrets.length === 0) return { text: command, at: (offset) => offset };
  const words = literalWords(command);
  const spans = secrets
    .flatMap((secret) => (words ? insideWord(command, secret, words) : plainRuns(command, secret)))
    .filter((span) => !isMarked(command, span))
    .filter((span) => effects === undefined || !concealsEffect(command, span, effects));
  return hide(command, spans);
}

export function redactCommand(command: string): string {
  return redaction(command).text;
}

/** What is kept of a command is read, and redacted, again: a mark behind a name isn't that name's value. */
function isMarked(command: string, { pos, end }: Span): boolean {
  const mark = /^\[REDACTED(?:: \d+ characters?)?\]/.exec(command.slice(pos, pos + LONGEST_MARK))?.[0];
  return mark !== undefined && end <= pos + mark.length;
}

const LONGEST_MARK = 64;

/** For sentences that quote a command: there only plain characters are hidden. */
export function redactSentence(sentence: string): string {
  return redactAround(sentence, []);
}

/** The same, and nothing of the names is hidden. */
export function redactAround(sentence: string, names: readonly string[]): string {
  const secrets = findSecrets(sentence);
  if (secrets.length === 0) return sentence;
  const shown = names.flatMap((name) => placesOf(name, sentence));
  const spans = secrets.flatMap((secret) => plainRuns(sentence, secret));
  return hide(
    sentence,
    spans.filter((span) => !shown.some((place) => meets(span, place))),
  ).text;
}

/**
 * The literal characters of the word that the secret begins in. A word may be code for somebody else (`bash -c`, a
 * here-document), so it ends before what a shell would act on there, and
 * before another word.
 */
function insideWord(command: string, secret: SecretSpan, words: readonly LiteralWord[]): Span[] {
  const around = words
    .filter(({ span }) => span.pos <= secret.softPos && secret.softPos < span.end)
    .sort((a, b) => a.span.end - a.span.pos - (b.span.end - b.span.pos))[0];
  const pieces = (around?.literal ?? [])
    .map(({ pos, end }) => ({ pos: Math.max(pos, secret.softPos), end: Math.min(end, secret.end) }))
    .filter(({ pos, end }) => pos < end);
  if (secret.block) return pieces.flatMap((piece) => runsOf(command, piece, BASE64_LINE));
  const [first] = pieces;
  if (around === undefined || first === undefined) return [];
  // What is assigned is a value to its end.
  const assigned = command[around.span.pos - 1] === "=";
  return runsOf(command, first, assigned ? BEFORE_SYNTAX : BEFORE_WORD).slice(0, 1);
}

/** Where the command can't be read: no character that bash gives a meaning, no word boundary. */
function plainRuns(command: string, secret: SecretSpan): Span[] {
  const span = { pos: secret.softPos, end: secret.end };
  return secret.block ? runsOf(command, span, BASE64_LINE) : runsOf(command, span, PLAIN).slice(0, 1);
}

/** A line of a key. Nothing that long, of these characters, does anything. */
const BASE64_LINE = /[A-Za-z0-9+/=]{24,}/g;
const BEFORE_SYNTAX = /^[^;&|<>()$`\\"'\n]+/g;
const BEFORE_WORD = /^[^\s;&|<>()$`\\"']+/g;
const PLAIN = /^[A-Za-z0-9._+/@:,%^=-]+/g;

function runsOf(text: string, { pos, end }: Span, pattern: RegExp): Span[] {
  return [...text.slice(pos, end).matchAll(pattern)].map((run) => ({
    pos: pos + run.index,
    end: pos + run.index + run[0].length,
  }));
}

function placesOf(name: string, text: string): Span[] {
  const places: Span[] = [];
  for (let pos = text.indexOf(name); pos >= 0 && name !== ""; pos = text.indexOf(name, pos + name.length)) {
    places.push({ pos, end: pos + name.length });
  }
  return places;
}

function hide(command: string, spans: readonly Span[]): Redaction {
  const marks = spans.map(({ pos, end }) => {
    const length = [...command.slice(pos, end)].length;
    return { pos, end, mark: `${REDACTION_MARK}: ${length} character${length === 1 ? "" : "s"}]` };
  });
  let text = "";
  let from = 0;
  for (const { pos, end, mark } of marks) {
    text += command.slice(from, pos) + mark;
    from = end;
  }
  text += command.slice(from);
  const at = (offset: number): number => {
    let shift = 0;
    for (const { pos, end, mark } of marks) {
      if (offset <= pos) break;
      if (offset < end) return pos + shift;
      shift += mark.length - (end - pos);
    }
    return offset + shift;
  };
  return { text, at };
}
