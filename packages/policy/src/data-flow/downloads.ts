import { INSTALLERS, INTERPRETERS, SHELLS } from "../catalog/index.ts";
import { basename, type Effect, literalWord, type Machine, makeEffect, normalize, type Word } from "../model/index.ts";
import type { PathSite } from "../paths/index.ts";
import { type Call, type Carried, type Draft, type DraftPart, resolveGuess, type Sender } from "../shell/index.ts";

const UNPACKERS: readonly string[] = ["tar", "gtar", "bsdtar", "unzip", "7z", "cpio", "unar"];

/** Notes the files that a download may have written. Too many do no harm: they count only if they are run. */
export function noteDownload(draft: Draft, words: readonly Word[], site: PathSite): void {
  const rest = words.slice(1);
  for (const [index, word] of rest.entries()) {
    const before = rest[index - 1]?.literal ?? "";
    const attached = /^(?:--output(?:-document)?=|-[a-zA-Z]*[oO])(.+)$/.exec(word.literal ?? "")?.[1];
    if (/^-[a-zA-Z]*[oO]$|^--output/.test(before)) add(draft, word, site);
    else if (attached !== undefined) add(draft, literalWord(attached, word.span), site);
    if (!word.mask.startsWith("-")) {
      // Without a given name, the file has the last part of its address.
      const name = basename((word.literal ?? word.text).replace(/[?#].*$/s, ""));
      if (name !== "") add(draft, literalWord(name, word.span), site);
    }
  }
}

/** Notes the files that a pipeline with a download has written. */
export function noteWritten(draft: Draft, effects: readonly Effect[]): void {
  for (const { kind, target } of effects) if (kind === "writes" && target !== undefined) draft.downloads.add(target);
}

/** Notes the directory into which a download is unpacked: any file in it may come from the download. */
export function noteUnpacked(draft: Draft, { words, directory }: Pick<DraftPart, "words" | "directory">): void {
  if (!UNPACKERS.includes(basename(words[0] ?? ""))) return;
  const option = words.findIndex((word) => word === "-C" || word === "-d");
  const into = (option === -1 ? undefined : words[option + 1]) ?? ".";
  const full = into.startsWith("/") ? into : `${directory ?? draft.machine.cwd}/${into}`;
  draft.downloads.add(`${normalize(full)}/`);
}

/** Returns an effect if the command runs, or makes executable, a file that the same proposal downloaded. */
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

function add(draft: Draft, word: Word, { directory, machine }: PathSite): void {
  draft.downloads.add(resolveGuess(word, directory, machine));
}

function isDownloaded(draft: Draft, word: Word, { directory, machine }: PathSite): boolean {
  const path = resolveGuess(word, directory, machine);
  if (draft.downloads.has(path)) return true;
  return [...draft.downloads].some((one) => one.endsWith("/") && path.startsWith(one));
}

function makesRunnable({ literal }: Word): boolean {
  return literal !== null && /^[ugoa]*[+=][a-z]*[xX]|^[0-7]*[1357][0-7]*$/.test(literal);
}

/** Notes the text that `echo … > file` and `cat > file <<EOF` write, in case the file is run. */
export function noteText(draft: Draft, part: DraftPart, { stdin }: Call): void {
  if (!part.effects.some(({ kind, target }) => kind === "writes" && target !== undefined)) return;
  const name = basename(part.words[0] ?? "");
  // Decoded text can't be read here, like a download.
  if (isDecoder(part)) noteWritten(draft, part.effects);
  const text = name === "cat" || name === "tee" ? stdin : printedText(part);
  if (text === undefined) return;
  for (const { kind, target } of part.effects)
    if (kind === "writes" && target !== undefined)
      draft.written.set(target, `${draft.written.get(target) ?? ""}\n${text}`);
}

/** Returns the text of a file that this proposal wrote earlier, if a shell runs it now. */
export function findWritten(draft: Draft, words: readonly Word[], { directory, machine }: PathSite): Carried[] {
  if (draft.written.size === 0) return [];
  const [head, ...rest] = words as readonly [Word, ...Word[]];
  const shell = [...SHELLS, "source", "."].includes(basename(head.literal ?? ""));
  const file = shell ? rest.find((word) => !word.mask.startsWith("-")) : head.guess.includes("/") ? head : undefined;
  const text = file === undefined ? undefined : draft.written.get(resolveGuess(file, directory, machine));
  return text === undefined ? [] : [{ text, sweeps: false }];
}

/**
 * A wrong host is worse than none. So a host is named only if the proposal begins with one of a few fully known forms.
 * Nothing may precede it that changes curl's request or a name's meaning. Nothing else may reach the interpreter. No
 * option may change who answers or redirect the answer.
 */
const GAP = "[ \\t]+";
const WORD = "(?:[\\w./:@%+=,-]+|'[^'\\n]*'|\"[^\"$`\\\\!\\n]*\")";
const EACH_WORD = new RegExp(WORD, "g");
const WORDS = `(?:${GAP}${WORD})*`;
const DOWNLOAD = `(?<download>(?:curl|wget)(?:${GAP}${WORD})+)[ \\t]*`;
const BIN = "(?:(?:/usr)?/bin/)?";
const SHELL = `(?<runner>${BIN}(?:sh|bash|dash|zsh|ksh))`;
const LANGUAGE = `(?<runner>${BIN}(?:python3?|node|perl|ruby))`;
const INTO = `\\|[ \\t]*(?:(?<wrapper>sudo)${GAP}(?:-[EH]+${GAP})?)?`;
/** Words that a shell with `-s` takes as the script's arguments, not as its own options. */
const GIVEN = `(?:${GAP}--|${GAP}(?!['"]?[-+])${WORD})${WORDS}`;

const FORMS: readonly RegExp[] = [
  `${DOWNLOAD}${INTO}${SHELL}(?:${GAP}-|${GAP}-s(?:${GIVEN})?)?`,
  `${DOWNLOAD}${INTO}${LANGUAGE}(?:${GAP}-)?`,
  `${SHELL}${GAP}<\\([ \\t]*${DOWNLOAD}\\)${WORDS}`,
  `${SHELL}${GAP}-c${GAP}"\\$\\([ \\t]*${DOWNLOAD}\\)"${WORDS}`,
  `(?<builtin>eval)${GAP}"\\$\\([ \\t]*${DOWNLOAD}\\)"`,
  `(?<builtin>source|\\.)${GAP}<\\([ \\t]*${DOWNLOAD}\\)`,
].map((form) => new RegExp(`^[ \\t]*${form}(?=[ \\t]*(?:$|[;\\n]|&&|\\|\\|))`));

/** `sends`: without one of these options the answer isn't printed. */
interface Downloader {
  readonly harmless: RegExp;
  readonly sends?: RegExp;
}

const DOWNLOADERS: Readonly<Record<string, Downloader>> = {
  curl: {
    harmless:
      /^(?:-[sSfL]+|-[sSfL]*o ?-|--(?:silent|show-error|fail|location|tlsv1\.[23]|output -)|--proto =?https?(?:,https?)?)$/,
  },
  wget: { harmless: /^(?:-q|-q?O ?-|--quiet|--output-document[= ]-)$/, sends: /^(?:-q?O|--output-document)/ },
};
/** Options that take the next word. */
const VALUED = /^(?:-[sSfL]*o|--output|--proto|-q?O|--output-document)$/;

/** An address, possibly with a login. Excludes forms that URL parsers read differently. */
const ADDRESS =
  /^(?:(?:https?|ftp):\/\/)?(?:[\w.%+-]+(?::[\w.%+-]*)?@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost)(?::\d+)?(?:\/[^\s\\]*)?$/i;

/** Returns the host whose text runs; undefined unless it is certain, and certain that nothing else runs. */
export function findSender(command: string, machine: Machine): Sender | undefined {
  // Added variables may name a proxy, settings, or a file that a shell reads first.
  if (Object.keys(machine.env).length > 0) return undefined;
  const found = FORMS.map((form) => form.exec(command)).find((one) => one !== null);
  const { download = "", runner, wrapper, builtin } = found?.groups ?? {};
  const [downloader = "", ...words] = [...download.matchAll(EACH_WORD)].map(([word]) => unquote(word));
  const hosts = namedHosts(words, DOWNLOADERS[downloader]);
  const into = builtin ?? basename(runner ?? "");
  if (found === undefined || hosts === undefined) return undefined;
  const programs = [downloader, ...(wrapper === undefined ? [] : [wrapper]), ...(builtin === undefined ? [into] : [])];
  if (programs.some((name) => machine.resolveProgram(name) === undefined)) return undefined;
  return { span: { pos: 0, end: found[0].length }, sentence: `runs what ${say(hosts)}, in ${into}` };
}

function say([first, second, ...others]: readonly string[]): string {
  if (second === undefined) return `${first} sends`;
  return `${first} and ${others.length === 0 ? second : `${others.length + 1} others`} send`;
}

function unquote(word: string): string {
  return /^['"]/.test(word) ? word.slice(1, -1) : word;
}

function namedHosts(words: readonly string[], downloader: Downloader | undefined): readonly string[] | undefined {
  const hosts = new Set<string>();
  let sends = downloader?.sends === undefined;
  const left = words.values();
  for (const word of left) {
    const host = ADDRESS.exec(word)?.[1];
    if (host !== undefined && !word.startsWith("-")) {
      hosts.add(host.toLowerCase());
      continue;
    }
    const option = VALUED.test(word) ? `${word} ${left.next().value}` : word;
    if (!downloader?.harmless.test(option)) return undefined;
    sends ||= downloader.sends?.test(option) === true;
  }
  return hosts.size === 0 || !sends ? undefined : [...hosts];
}

/** Programs that turn text into other text, and the words with which they decode. */
const DECODERS: readonly { readonly names: readonly string[]; readonly form: RegExp }[] = [
  { names: ["base64", "base32", "basenc", "gbase64"], form: /^(-[a-zA-Z]*[dD]|--d)/ },
  { names: ["xxd"], form: /^-[a-z]*r/ },
  { names: ["openssl"], form: /^-d$|^base64$/ },
  { names: ["rev", "uudecode", "zcat", "gunzip", "bunzip2", "xzcat"], form: /^/ },
  { names: ["gzip", "bzip2", "xz", "zstd", "gpg"], form: /^(-[a-z]*d|--decompress|--decrypt)/ },
  { names: ["tr"], form: /^.-.|^\[:/ },
  { names: ["printf", "echo"], form: /\\(x[0-9a-fA-F]{2}|0?[0-7]{3}|u[0-9a-fA-F]{4})/ },
];

/** Reports whether the part prints text that its words don't show. */
export function isDecoder({ words }: DraftPart): boolean {
  const name = basename(words[0] ?? "");
  return DECODERS.some(
    ({ names, form }) =>
      names.includes(name) && ["", ...words.slice(1)].some((word) => word !== null && form.test(word)),
  );
}

/** Returns what `echo` and `printf` with literal words print, precisely enough to find harm in it. */
export function printedText({ words }: DraftPart): string | undefined {
  const [name, ...rest] = words;
  if ((name !== "echo" && name !== "printf") || rest.includes(null)) return undefined;
  const text = rest.filter((word) => !/^-[neE]+$/.test(word ?? "")).join(" ");
  return name === "printf" ? text.replace(/%s|%b|\\n/g, "\n") : text;
}
