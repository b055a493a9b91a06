import { SHELLS } from "../catalog/index.ts";
import { basename, type WordReading } from "../model/index.ts";
import type { PathSite } from "../paths/index.ts";
import { type Call, type Carried, type Draft, type DraftPart, resolveGuess } from "../shell/index.ts";
import { isDecoder, printedText } from "./made-code.ts";
import { noteWritten } from "./track-downloads.ts";

/** Remembers the text that `echo … > file` and `cat > file <<EOF` write, in case the file is run. */
export function noteText(draft: Draft, part: DraftPart, { stdin }: Call): void {
  if (!part.effects.some(({ kind, target }) => kind === "writes" && target !== undefined)) return;
  const name = basename(part.words[0] ?? "");
  // What is decoded can't be read here, as what is downloaded can't.
  if (isDecoder(part)) noteWritten(draft, part.effects);
  const text = name === "cat" || name === "tee" ? stdin : printedText(part);
  if (text === undefined) return;
  for (const { kind, target } of part.effects)
    if (kind === "writes" && target !== undefined)
      draft.written.set(target, `${draft.written.get(target) ?? ""}\n${text}`);
}

/** The text of a file that this command wrote before, where a shell runs it now. */
export function findWritten(draft: Draft, words: readonly WordReading[], { directory, context }: PathSite): Carried[] {
  if (draft.written.size === 0) return [];
  const [head, ...rest] = words as readonly [WordReading, ...WordReading[]];
  const shell = [...SHELLS, "source", "."].includes(basename(head.literal ?? ""));
  const file = shell ? rest.find((word) => !word.mask.startsWith("-")) : head.guess.includes("/") ? head : undefined;
  const text = file === undefined ? undefined : draft.written.get(resolveGuess(file, directory, context));
  return text === undefined ? [] : [{ text, sweeps: false }];
}
