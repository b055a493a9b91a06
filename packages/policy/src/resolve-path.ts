import type { ClassifyContext } from "./classification.ts";
import type { Directory } from "./draft.ts";
import { WILD, type WordReading } from "./read-word.ts";

/** No path of a working day climbs more often; each climb costs a `realpath`. */
const MAX_CLIMBS = 32;

export interface ResolvedPath {
  /** What the words say: absolute, `.` and `..` folded. May hold `WILD`. */
  readonly lexical: string;
  /** Where the kernel would end up, or undefined when that can't be told. */
  readonly real: string | undefined;
  /** False for `~user` and for relative paths after a `cd` that may have failed. */
  readonly certain: boolean;
}

/** Where a word leads when a program takes it for a path. `text` may be `mask` (to prove) or `guess` (to find harm). */
export function resolvePath(word: WordReading, directory: Directory, context: ClassifyContext): ResolvedPath {
  return resolveText({ text: word.mask, tilde: word.tilde }, directory, context);
}

export function resolveGuess(word: WordReading, directory: Directory, context: ClassifyContext): string {
  return resolveText({ text: word.guess, tilde: word.tilde }, directory, context).lexical;
}

export function resolveText(
  word: { readonly text: string; readonly tilde: boolean },
  directory: Directory,
  context: ClassifyContext,
): ResolvedPath {
  const { text, tilde } = word;
  if (tilde && !/^~(\/|$)/.test(text)) return { lexical: `/home/${text.slice(1)}`, real: undefined, certain: false };
  const path = tilde ? context.home + text.slice(1) : text;
  const absolute = path.startsWith("/");
  const full = absolute ? path : `${directory.path}/${path}`;
  const certain = (absolute || directory.certain) && !path.startsWith(WILD);
  const lexical = normalize(full);
  return { lexical, real: full.includes(WILD) ? undefined : realpath(full, context), certain };
}

export function normalize(path: string): string {
  const kept: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") kept.pop();
    else if (name !== "" && name !== ".") kept.push(name);
  }
  return `/${kept.join("/")}`;
}

export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}

export function isInsideAny(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => isInside(path, directory));
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `link/..` is the parent of where the link leads, so every climb is made from a real path. */
function realpath(path: string, context: ClassifyContext): string | undefined {
  let at = "";
  let climbs = 0;
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") {
      at += `/${name}`;
      continue;
    }
    climbs += 1;
    const real = climbs > MAX_CLIMBS ? undefined : context.realpath(at || "/");
    if (real === undefined) return undefined;
    at = real.slice(0, Math.max(0, real.lastIndexOf("/")));
  }
  return context.realpath(at || "/");
}
