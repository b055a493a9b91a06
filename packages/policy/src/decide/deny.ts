import { isNamed, looseCandidates } from "../entries/index.ts";
import { type Classification, isInside, type Part } from "../model/index.ts";
import { literalOf, matchesCommandWord, matchWords, type Pattern } from "../patterns/index.ts";
import { type Circumstances, type Entry, isInForce } from "../profile/index.ts";

type Moment = Pick<Circumstances, "nowMs">;

/** Returns the entry that denies a part of the command. */
export function findDenying(
  { parts }: Classification,
  denylist: readonly Entry[],
  { nowMs }: Moment,
): Entry | undefined {
  for (const part of parts) {
    const found = formsOf(part).flatMap((form) =>
      looseCandidates(denylist, form, { nowMs }).filter(({ pattern }) => matchesDenied(pattern, form)),
    );
    const denying = found.find(({ entry }) => deniesHere(entry, part));
    if (denying) return denying.entry;
  }
  return undefined;
}

/**
 * Returns an entry that may deny a part: words are only known when it runs, or an unknown program may run its words.
 */
export function findPossiblyDenying(
  { parts }: Classification,
  denylist: readonly Entry[],
  { nowMs }: Moment,
): Entry | undefined {
  if (denylist.length === 0) return undefined;
  for (const part of parts) {
    const found = findPossible(part, denylist, { nowMs }).find((entry) => deniesHere(entry, part));
    if (found) return found;
  }
  return undefined;
}

function findPossible(part: Part, denylist: readonly Entry[], { nowMs }: Moment): Entry[] {
  if (part.words[0] === null) return denylist.filter((entry) => isInForce(entry, { nowMs }));
  const open = formsOf(part).flatMap((form) =>
    looseCandidates(denylist, form, { nowMs }).filter(({ pattern }) => mayMatchDenied(pattern, form)),
  );
  const given = part.described === true || part.toolCall ? [] : findGiven(part, denylist, { nowMs });
  return [...open, ...given].map(({ entry }) => entry);
}

/** Finds denied commands among the words of another: `some-runner git push`. */
function findGiven({ span, words }: Part, denylist: readonly Entry[], { nowMs }: Moment) {
  return words.flatMap((word, at) => {
    if (at === 0 || word === null || !isNamed(denylist, word)) return [];
    const given: Part = { span, words: words.slice(at), builtin: false, effects: [] };
    return looseCandidates(denylist, given, { nowMs }).filter(({ pattern }) => matchesDenied(pattern, given));
  });
}

/** Returns the part under its name and under the program's real name: `python3` is also `python3.12`. */
function formsOf(part: Part): Part[] {
  const { program, words } = part;
  return program?.startsWith("/") ? [part, { ...part, words: [program, ...words.slice(1)] }] : [part];
}

/** Reports whether the entry applies in the part's directory. An uncertain directory counts as inside. */
function deniesHere({ directory }: Entry, part: Part): boolean {
  return directory === undefined || part.directory === undefined || isInside(part.directory, directory);
}

type Words = Part["words"];

/** Most readings of the options of one command. A command with more counts as denied. */
const MAX_READINGS = 256;

/**
 * Reports whether a deny entry matches a part. Options may precede each word of the subcommand, as in `git -C /x push`
 * or `docker compose -f x up`.
 */
function matchesDenied(pattern: Pattern, part: Part): boolean {
  if (!matchesCommandWord(pattern, part)) return false;
  const words = part.words.slice(1);
  if (part.toolCall) return matchWords(pattern.slice(1), words);
  let rest = pattern.slice(1);
  let starts = [0];
  for (;;) {
    if (starts.length > MAX_READINGS || starts.some((at) => matchWords(rest, words.slice(at)))) return true;
    const chosen = rest[0] === undefined ? undefined : literalOf(rest[0]);
    if (chosen === undefined || chosen.startsWith("-")) return false;
    starts = findBehindOptions(chosen, words, starts);
    if (starts.length === 0) return false;
    rest = rest.slice(1);
  }
}

/**
 * Returns the positions after the chosen word, if only options and their possible values are between it and one of
 * `starts`.
 */
function findBehindOptions(chosen: string, words: Words, starts: readonly number[]): number[] {
  const found: number[] = [];
  let open = false;
  let left = 0;
  for (let at = 0; at < words.length; at += 1) {
    if (starts[left] === at) {
      open = true;
      left += 1;
    }
    if (!open) continue;
    if (words[at] === chosen) found.push(at + 1);
    open = isOption(words[at]) || isOption(words[at - 1]);
  }
  return found;
}

/** Reports whether a deny entry may match a part whose other words are only known when it runs. */
function mayMatchDenied(pattern: Pattern, part: Part): boolean {
  return part.words.includes(null) && matchesCommandWord(pattern, part) && !choosesAnother(pattern, part.words);
}

/** Reports whether the subcommand differs: `git log $X` isn't `git push` for any value. */
function choosesAnother(pattern: Pattern, words: Words): boolean {
  const wanted = pattern[1] === undefined ? undefined : literalOf(pattern[1]);
  const [, chosen] = words;
  return typeof wanted === "string" && typeof chosen === "string" && !isOption(chosen) && chosen !== wanted;
}

function isOption(word: string | null | undefined): boolean {
  return word?.startsWith("-") === true;
}
