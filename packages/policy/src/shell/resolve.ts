import { type Machine, normalize, WILD, type Word } from "../model/index.ts";
import type { Directory } from "./state.ts";

/** Ordinary paths climb less often; each climb costs a `realpath`. */
const MAX_CLIMBS = 32;

export interface ResolvedPath {
  /** The path as written: absolute, with `.` and `..` folded. May contain `WILD`. */
  readonly lexical: string;
  /** Where the kernel would resolve it, or undefined if that isn't known. */
  readonly real: string | undefined;
  /** False for `~user` and for relative paths after a `cd` that may have failed. */
  readonly certain: boolean;
  /** The word's guess, folded in the same way. */
  readonly guess: string;
}

type PathWord = Pick<Word, "mask" | "guess" | "tilde">;

/** Resolves a word that a program takes as a path. */
export function resolvePath(word: PathWord, directory: Directory, machine: Machine): ResolvedPath {
  const { full, certain } = expand({ text: word.mask, tilde: word.tilde }, directory, machine);
  const lexical = normalize(full);
  const known = certain !== "unknown" && !full.includes(WILD);
  return {
    lexical,
    real: known ? realpath(full, lexical, machine) : undefined,
    certain: certain === true,
    guess: word.guess === word.mask ? lexical : resolveGuess(word, directory, machine),
  };
}

export function resolveGuess(word: PathWord, directory: Directory, machine: Machine): string {
  return normalize(expand({ text: word.guess, tilde: word.tilde }, directory, machine).full);
}

/** Returns every path that the word may mean, without duplicates. */
export function placesOf({ lexical, real = lexical, guess }: ResolvedPath): readonly string[] {
  if (real === lexical) return guess === lexical ? [lexical] : [lexical, guess];
  return guess === lexical || guess === real ? [lexical, real] : [lexical, real, guess];
}

interface Expanded {
  readonly full: string;
  readonly certain: boolean | "unknown";
}

function expand(
  { text, tilde }: { readonly text: string; readonly tilde: boolean },
  directory: Directory,
  machine: Machine,
): Expanded {
  // `~user` needs the password file; `/home/user` is the likeliest answer.
  if (tilde && !/^~(\/|$)/.test(text)) return { full: `/home/${text.slice(1)}`, certain: "unknown" };
  const path = tilde ? machine.home + text.slice(1) : text;
  if (path.startsWith("/")) return { full: path, certain: true };
  return { full: `${directory.path}/${path}`, certain: directory.certain && !path.startsWith(WILD) };
}

/** Resolves links from the left, because `link/..` is the parent of the link's target. */
function realpath(path: string, lexical: string, machine: Machine): string | undefined {
  if (!path.includes("..")) return machine.realpath(lexical);
  let at = "";
  let climbs = 0;
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") {
      at += `/${name}`;
      continue;
    }
    climbs += 1;
    const real = climbs > MAX_CLIMBS ? undefined : machine.realpath(at || "/");
    if (real === undefined) return undefined;
    at = real.slice(0, Math.max(0, real.lastIndexOf("/")));
  }
  return machine.realpath(at || "/");
}
