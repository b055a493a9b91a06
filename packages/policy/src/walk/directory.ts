import { type Effect, literalWord, makeEffect, type Word } from "../model/index.ts";
import { judgeRead, type PathSite } from "../paths/index.ts";
import { type Directory, type Frame, resolveGuess, resolvePath } from "../shell/index.ts";

/**
 * Judges `cd` and updates the directory. It stays certain only after a literal directory of the workspace that isn't a
 * link; the walker decides whether the `cd` succeeded.
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

/** Returns a step that makes the directory uncertain if a `cd` since now may have failed or not run. */
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

/** Marks the directory as unknown. */
export function loseDirectory({ directory }: Frame): void {
  directory.certain = false;
  directory.places = undefined;
}

/** More possible directories than this count as unknown. */
const MAX_PLACES = 8;

/** Resolves the word from each possible directory; undefined if one result isn't certain. */
function leadTo(target: Word, directory: Directory, { machine }: PathSite): readonly string[] | undefined {
  const found = new Set<string>();
  for (const path of directory.places ?? []) {
    const { lexical, real, certain } = resolvePath(target, { path, certain: true }, machine);
    if (!certain || real !== lexical) return undefined;
    found.add(lexical);
  }
  // An absolute path needs no starting directory.
  if (directory.places === undefined) {
    const { lexical, real, certain } = resolvePath(target, directory, machine);
    return certain && real === lexical ? [lexical] : undefined;
  }
  return [...found];
}

function unclear(sentence: string, { span, layer }: PathSite): Effect {
  return makeEffect(span, { kind: "reads", layer, ruleId: "cd.unclear", sentence });
}
