import { DANGER_PATTERNS } from "../catalog/dangers/index.ts";
import { CARRIERS, type Carrier, INTERPRETERS, WRAPPERS } from "../catalog/index.ts";
import { basename, WILD, type Word } from "../model/index.ts";
import type { Carried } from "./draft.ts";
import { fillIn } from "./wrappers.ts";

const NOWHERE = { pos: 0, end: 0 };

/** Positions at which a command could begin, for one carrier. */
const MAX_STARTS = 4;
/** Each level of nested carriers reads the text again. */
const MAX_TEXT_LENGTH = 8_192;

const byName = new Map<string, Carrier[]>();
for (const carrier of CARRIERS)
  for (const name of carrier.names) byName.set(name, [...(byName.get(name) ?? []), carrier]);

/** Words that may be the command; no other word names a program with known harm. */
const starters = new Set([
  ...INTERPRETERS,
  ...WRAPPERS.flatMap((wrapper) => wrapper.names),
  ...DANGER_PATTERNS.flatMap((pattern) => pattern.programs),
  ...byName.keys(),
]);

/** Returns the commands that a carrier may run. `words` follow its name; `stdin` is its literal input. */
export function findCarried(name: string, words: readonly Word[], stdin: string | undefined): Carried[] {
  const carriers = byName.get(name);
  if (carriers === undefined) return [];
  return carriers.flatMap((carrier) => {
    const rest = skipSubcommand(words, carrier.sub);
    const found = rest === undefined ? [] : carry(carrier, rest);
    // Without a command, the shell on the other machine reads the input.
    const fed = rest !== undefined && found.length === 0 && stdin !== undefined && carrier.where === "host";
    return fed ? [{ text: stdin.slice(0, MAX_TEXT_LENGTH), where: "host", sweeps: false }] : found;
  });
}

function skipSubcommand(words: readonly Word[], sub: string | undefined): readonly Word[] | undefined {
  if (sub === undefined) return words;
  const names = sub.split(" ");
  // Global options and their values may precede each word.
  let next = 0;
  for (const name of names) {
    const at = words.findIndex((word, index) => index >= next && word.literal === name);
    if (at === -1) return undefined;
    next = at + 1;
  }
  return words.slice(next);
}

function carry(carrier: Carrier, rest: readonly Word[]): Carried[] {
  const common = { sweeps: carrier.sweeps === true, ...(carrier.where === undefined ? {} : { where: carrier.where }) };
  const texts = [...findTexts(rest, carrier.texts ?? []), ...joinOperands(rest, carrier)];
  if (carrier.each) texts.push(...rest.filter((word) => !word.mask.startsWith("-")).map(textFor));
  if (texts.length > 0)
    return texts.slice(0, MAX_STARTS).map((text) => {
      const short = text.slice(0, MAX_TEXT_LENGTH);
      return { ...common, text: carrier.sweeps ? fillText(short) : short };
    });
  return findStarts(rest).map((at) => {
    const words = rest.slice(at);
    const placeholder = words.some((word) => word.literal?.includes("{}")) ? "{}" : undefined;
    return {
      ...common,
      words: carrier.sweeps ? fillIn(words, placeholder, { span: words[0]?.span ?? NOWHERE }) : words,
    };
  });
}

/** `-c text`, `-qc text`, `--command=text`. */
function findTexts(words: readonly Word[], options: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    const text = word.literal ?? word.mask;
    const equals = text.indexOf("=");
    if (equals !== -1 && options.includes(text.slice(0, equals))) return [textFor(word).slice(equals + 1)];
    const short = /^-[A-Za-z]*([A-Za-z])$/.exec(text)?.[1];
    const given = options.includes(text) || (short !== undefined && options.includes(`-${short}`));
    const value = words[index + 1];
    return given && value !== undefined ? [textFor(value)] : [];
  });
}

function joinOperands(words: readonly Word[], { joins, valued = "" }: Carrier): string[] {
  if (joins === undefined) return [];
  let next = 0;
  for (let left = joins; left >= 0; left -= 1) {
    for (let word = words[next]; word?.mask.startsWith("-") && word.literal !== "--"; word = words[next])
      next += valued.includes(word.mask.slice(-1)) && word.mask.length === 2 ? 2 : 1;
    if (words[next]?.literal === "--") next += 1;
    if (left > 0) next += 1;
  }
  const given = words.slice(next);
  // Arguments after `:::` or from the input are appended to each run.
  const end = given.findIndex((word) => /^:::/.test(word.mask));
  const text = (end === -1 ? given : given.slice(0, end)).map(textFor).join(" ");
  return text.trim() === "" ? [] : [text];
}

/** Puts an unknown word in place of the braces, or at the end. */
function fillText(text: string): string {
  const filled = text.replace(/\{[/.#%\d]{0,3}\}/g, " $UNKNOWN ");
  return filled === text ? `${text} $UNKNOWN` : filled;
}

function findStarts(words: readonly Word[]): number[] {
  const starts = words.flatMap((word, index) => (starters.has(basename(word.literal ?? "")) ? [index] : []));
  return starts.slice(0, MAX_STARTS);
}

/** Returns the word as shell text, with a variable for each unknown part. */
function textFor(word: Word): string {
  return word.literal ?? word.guess.replaceAll(WILD, " $UNKNOWN ");
}
