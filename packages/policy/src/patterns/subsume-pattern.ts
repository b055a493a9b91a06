import type { Part } from "../model/index.ts";
import { isCallHead, matchesNamed, type Pattern } from "./match-entry.ts";

/** A word that nobody writes: only a wildcard takes it. */
const ANY = "\u0001";
/** More `**` than this aren't tried out; each is tried as none, one and two words. */
const MAX_OPEN = 4;

/** Whether `wide` fits everything that `narrow` fits, as far as examples can tell. */
export function subsumes(wide: Pattern, narrow: Pattern): boolean {
  if (narrow.filter((word) => word === "**").length > MAX_OPEN) return false;
  return instances(narrow).every((words) => matchesNamed(wide, partOf(words)));
}

function instances(pattern: Pattern): string[][] {
  let found: string[][] = [[]];
  for (const word of pattern) {
    const forms = word === "**" ? [[], [ANY], [ANY, ANY]] : [[word.join(ANY)]];
    found = found.flatMap((words) => forms.map((form) => [...words, ...form]));
  }
  return found.filter((words) => words.length > 0);
}

function partOf(words: readonly string[]): Part {
  const toolCall = isCallHead(words[0] ?? "") ? ({ toolCall: true } as const) : {};
  return { span: { pos: 0, end: 0 }, words, builtin: false, effects: [], ...toolCall };
}
