import { type Classification, isInside, type Part } from "../model/index.ts";
import { type Circumstances, type Entry, isInForce, isNamed, looseCandidates } from "../profile/index.ts";
import { matchesDenied, mayMatchDenied } from "./match-denied.ts";

type Moment = Pick<Circumstances, "nowMs">;

/** The entry that denies a part of the command. */
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
 * An entry that nobody can rule out: words are only known when it runs, or a program without a full description may run the
 * words that it is given.
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

/** Commands that stand as they are among the words of another: `some-runner git push`. */
function findGiven({ span, words }: Part, denylist: readonly Entry[], { nowMs }: Moment) {
  return words.flatMap((word, at) => {
    if (at === 0 || word === null || !isNamed(denylist, word)) return [];
    const given: Part = { span, words: words.slice(at), builtin: false, effects: [] };
    return looseCandidates(denylist, given, { nowMs }).filter(({ pattern }) => matchesDenied(pattern, given));
  });
}

/** As it is called, and as what the name leads to: `python3` is also `python3.12`. */
function formsOf(part: Part): Part[] {
  const { program, words } = part;
  return program?.startsWith("/") ? [part, { ...part, words: [program, ...words.slice(1)] }] : [part];
}

/** Where it isn't certain that a part runs outside of the entry's directory, it is denied. */
function deniesHere({ directory }: Entry, part: Part): boolean {
  return directory === undefined || part.directory === undefined || isInside(part.directory, directory);
}
