import { type Effect, literalWord, makeEffect, type Word } from "../model/index.ts";
import { judgeRead, type PathSite } from "../paths/index.ts";
import { type Directory, type Frame, resolveGuess, resolvePath } from "../shell/index.ts";

/**
 * `cd`: later relative paths mean something else. Only a literal directory in the workspace that is no link keeps them
 * certain; whether the `cd` succeeded is the walker's to say.
 */
export function changeDirectory(words: readonly Word[], frame: Frame, site: PathSite): Effect[] {
  const { directory } = frame;
  const operands = words.filter((word) => !/^-[LPe@]+$/.test(word.literal ?? "") && word.literal !== "--");
  const target = operands[0] ?? { ...literalWord("~", site.span), tilde: true };
  const effects = judgeRead(target, { namesOnly: true, recursive: false }, site);
  const plain = target.literal !== null && target.literal !== "-" && target.literal !== "" && operands.length < 2;
  const places = plain && effects.every((one) => one.risk === "safe") ? leadTo(target, directory, site) : undefined;
  directory.path = resolveGuess(target, directory, site.machine);
  directory.places = places;
  directory.certain = places?.length === 1;
  directory.passed = [...(directory.passed ?? []), ...(places ?? [])].slice(0, MAX_PLACES);
  if (!plain) effects.push(unclear("Changes to a directory that is only known when it runs", site));
  if (frame.inLoop) effects.push(unclear("Changes the directory inside a loop", site));
  return effects;
}

/** A `cd` before may have failed, or not have run: then it is still where it was, or on the way. */
export function doubtDirectory(frame: Frame): () => void {
  const { directory } = frame;
  const { path, places } = directory;
  return () => {
    if (directory.path === path && directory.places === places) return;
    const all = [...new Set([...(directory.places ?? []), ...(places ?? []), ...(directory.passed ?? [])])];
    const known = places !== undefined && directory.places !== undefined && all.length < MAX_PLACES;
    directory.places = known ? all : undefined;
    directory.certain = known && all.length === 1;
  };
}

/** It leads where nobody can tell. */
export function loseDirectory({ directory }: Frame): void {
  directory.certain = false;
  directory.places = undefined;
}

/** More places than these are as good as any. */
const MAX_PLACES = 8;

/** Where the word leads from each place that it may be read at, or undefined when one of them isn't known. */
function leadTo(target: Word, directory: Directory, { machine }: PathSite): readonly string[] | undefined {
  const found = new Set<string>();
  for (const path of directory.places ?? []) {
    const { lexical, real, certain } = resolvePath(target, { path, certain: true }, machine);
    if (!certain || real !== lexical) return undefined;
    found.add(lexical);
  }
  // From nowhere that is known an absolute path leads to what it says all the same.
  if (directory.places === undefined) {
    const { lexical, real, certain } = resolvePath(target, directory, machine);
    return certain && real === lexical ? [lexical] : undefined;
  }
  return [...found];
}

function unclear(sentence: string, { span, layer }: PathSite): Effect {
  return makeEffect(span, { kind: "reads", layer, ruleId: "cd.unclear", sentence });
}
