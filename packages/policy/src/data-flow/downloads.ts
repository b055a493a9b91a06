import { INSTALLERS, INTERPRETERS, SHELLS } from "../catalog/index.ts";
import { basename, type Effect, literalWord, makeEffect, normalize, type Word } from "../model/index.ts";
import type { PathSite } from "../paths/index.ts";
import { type Call, type Carried, type Draft, type DraftPart, resolveGuess } from "../shell/index.ts";
import { isDecoder, printedText } from "./printed-text.ts";

const UNPACKERS: readonly string[] = ["tar", "gtar", "bsdtar", "unzip", "7z", "cpio", "unar"];

/** Remembers the files that a download may have written. Rather too many: they only matter where they are run. */
export function noteDownload(draft: Draft, words: readonly Word[], site: PathSite): void {
  const rest = words.slice(1);
  for (const [index, word] of rest.entries()) {
    const before = rest[index - 1]?.literal ?? "";
    const attached = /^(?:--output(?:-document)?=|-[a-zA-Z]*[oO])(.+)$/.exec(word.literal ?? "")?.[1];
    if (/^-[a-zA-Z]*[oO]$|^--output/.test(before)) add(draft, word, site);
    else if (attached !== undefined) add(draft, literalWord(attached, word.span), site);
    if (!word.mask.startsWith("-")) {
      // Without a name of its own a download has the last part of its address.
      const name = basename((word.literal ?? word.text).replace(/[?#].*$/s, ""));
      if (name !== "") add(draft, literalWord(name, word.span), site);
    }
  }
}

/** Files that a pipeline with a download in it has written. */
export function noteWritten(draft: Draft, effects: readonly Effect[]): void {
  for (const { kind, target } of effects) if (kind === "writes" && target !== undefined) draft.downloads.add(target);
}

/** Whatever lies where a download is unpacked may be of it. */
export function noteUnpacked(draft: Draft, { words, directory }: Pick<DraftPart, "words" | "directory">): void {
  if (!UNPACKERS.includes(basename(words[0] ?? ""))) return;
  const option = words.findIndex((word) => word === "-C" || word === "-d");
  const into = (option === -1 ? undefined : words[option + 1]) ?? ".";
  const full = into.startsWith("/") ? into : `${directory ?? draft.context.cwd}/${into}`;
  draft.downloads.add(`${normalize(full)}/`);
}

/** Running, or making ready to run, what the same command has downloaded. */
export function judgeDownloaded(draft: Draft, words: readonly Word[], site: PathSite): Effect[] {
  if (draft.downloads.size === 0) return [];
  if (words.slice(1).some((word) => isDownloaded(draft, word, site)))
    noteUnpacked(draft, { words: words.map((word) => word.literal), directory: site.directory.path });
  const [head, ...rest] = words as readonly [Word, ...Word[]];
  const name = basename(head.literal ?? "");
  const runs = isDownloaded(draft, head, site) && head.guess.includes("/");
  const takes =
    [...INTERPRETERS, ...INSTALLERS, "source", "."].includes(name) || (name === "chmod" && rest.some(makesRunnable));
  const given = takes ? rest.find((word) => isDownloaded(draft, word, site)) : undefined;
  if (!runs && given === undefined) return [];
  const sentence = `Matches dangerous pattern: runs what was downloaded or decoded: ${(given ?? head).text}`;
  const about = { kind: "executes", ruleId: "remote-code", sentence } as const;
  return [makeEffect(site.span, { ...about, risk: "dangerous", layer: "dangerous-pattern" })];
}

function add(draft: Draft, word: Word, { directory, context }: PathSite): void {
  draft.downloads.add(resolveGuess(word, directory, context));
}

function isDownloaded(draft: Draft, word: Word, { directory, context }: PathSite): boolean {
  const path = resolveGuess(word, directory, context);
  if (draft.downloads.has(path)) return true;
  return [...draft.downloads].some((one) => one.endsWith("/") && path.startsWith(one));
}

function makesRunnable({ literal }: Word): boolean {
  return literal !== null && /^[ugoa]*[+=][a-z]*[xX]|^[0-7]*[1357][0-7]*$/.test(literal);
}

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
export function findWritten(draft: Draft, words: readonly Word[], { directory, context }: PathSite): Carried[] {
  if (draft.written.size === 0) return [];
  const [head, ...rest] = words as readonly [Word, ...Word[]];
  const shell = [...SHELLS, "source", "."].includes(basename(head.literal ?? ""));
  const file = shell ? rest.find((word) => !word.mask.startsWith("-")) : head.guess.includes("/") ? head : undefined;
  const text = file === undefined ? undefined : draft.written.get(resolveGuess(file, directory, context));
  return text === undefined ? [] : [{ text, sweeps: false }];
}
