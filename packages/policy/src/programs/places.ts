import { DOWNLOADERS, SENDERS, TAKES_PROGRAM_TEXT } from "../catalog/index.ts";
import { type Effect, isInside, MAX_TARGETS, makeEffect, type Word } from "../model/index.ts";
import { isGravePlace, isHarmlessDevice, meaningOfWriting, type PathSite } from "../paths/index.ts";
import { placesOf, resolvePath } from "../shell/index.ts";
import { readShape } from "./shape.ts";

/** Parts of one word that are checked; a word with more counts as unknown. */
const MAX_PIECES = 32;

/**
 * Returns effects for the paths and hosts in the words of a program that isn't in the catalogue: paths outside its
 * directory, places from which code starts, other machines. Each path is taken as a write, because the program's use of
 * it isn't known. An entry covers them only inside its roots and hosts.
 */
export function judgePlaces(name: string, words: readonly Word[], site: PathSite): Effect[] {
  const effects = judgeWhereItRuns(name, site);
  const open = (text: string) =>
    effects.push(
      place(site, { kind: "writes", sentence: `Passes ${text} to ${name}, and where that path leads isn't known` }),
    );
  for (const [index, word] of words.entries()) {
    if (word.literal === null || (isText(name, word.literal) && mayBeProgram(words, index))) continue;
    const { texts, hosts } = dissect(word.literal);
    if (texts.length > MAX_PIECES) open(word.text);
    else for (const text of texts) effects.push(...judgePlace(name, text, site));
    for (const host of [...hosts, ...findHosts(name, words, index)]) effects.push(reaches(name, host, site));
  }
  return effects.length <= MAX_TARGETS
    ? effects
    : [place(site, { kind: "writes", sentence: `Passes more paths to ${name} than are checked` })];
}

/**
 * Reports whether the word is program text (`awk '/x/ {…}'`), whose slashes aren't paths. Such commands are saved word
 * by word only.
 */
function isText(name: string, text: string): boolean {
  return TAKES_PROGRAM_TEXT.includes(name) && /[\s{}$|;^\\]|^s?\/.*\/[a-z]*$/.test(text);
}

/**
 * Reports whether this word may be program text. `/home/x/y` looks like a regular expression, but only an option's
 * value or the first operand is one.
 */
function mayBeProgram(words: readonly Word[], index: number): boolean {
  const texts = words.map(({ literal }) => literal ?? "");
  if (texts[index - 1]?.startsWith("-")) return true;
  const given = texts.some((text) => /^-[A-Za-z]*[ef]|^--(?:expression|file)/.test(text));
  const isValue = (at: number) => /^-[vF]$/.test(texts[at - 1] ?? "");
  return !given && texts.findIndex((text, at) => !text.startsWith("-") && !isValue(at)) === index;
}

/** Judges the directory in which it runs, since plain names are files there. */
function judgeWhereItRuns(name: string, site: PathSite): Effect[] {
  const { path } = site.directory;
  if ([undefined, "arms"].includes(meaningOfWriting(path, site.machine))) return [];
  const sentence = `Runs ${name} in ${path}, a system path or one from which code starts`;
  return [place(site, { kind: "persistence", sentence, target: path })];
}

function looksLikePath(text: string): boolean {
  return text.startsWith("~") || text.startsWith(".") || text.includes("/");
}

function judgePlace(name: string, text: string, site: PathSite): Effect[] {
  const piece = { mask: text, guess: text, tilde: text.startsWith("~") };
  const leads = resolvePath(piece, site.directory, site.machine);
  const { lexical, real } = leads;
  // A plain name matters only if it is a link.
  if (isHarmlessDevice(text) || (!looksLikePath(text) && (real === undefined || real === lexical))) return [];
  if (real === undefined) {
    return [
      place(site, { kind: "writes", sentence: `Passes ${text} to ${name}, and where that path leads isn't known` }),
    ];
  }
  return placesOf(leads).flatMap((path) => {
    if (isGravePlace(path, site.machine)) {
      const sentence = `Passes ${path} to ${name}, a system path or one from which code starts`;
      return [place(site, { kind: "persistence", sentence, target: path })];
    }
    if (isInside(path, site.directory.path)) return [];
    return [place(site, { kind: "writes", sentence: `May change ${path} with ${name}`, target: path })];
  });
}

function place(site: PathSite, about: Pick<Effect, "kind" | "sentence" | "target">): Effect {
  return makeEffect(site.span, { ...about, layer: "safe-binary", ruleId: "operand.place", own: site.own });
}

function reaches(name: string, target: string, site: PathSite): Effect {
  const downloads = DOWNLOADERS.includes(name);
  const sentence = downloads ? `Asks another machine with ${name}` : `May connect to ${target} with ${name}`;
  const kind = downloads ? "network-read" : "network-send";
  return makeEffect(site.span, { kind, sentence, target, layer: "safe-binary", ruleId: "operand.host", own: site.own });
}

interface Dissected {
  readonly texts: readonly string[];
  readonly hosts: readonly string[];
}

/**
 * Splits a word into paths and hosts: the word, the parts between `=`, `:`, `,` and `@`, and text attached to a short
 * option.
 */
function dissect(word: string): Dissected {
  if (!/[/.~]/.test(word)) return { texts: word.startsWith("-") ? [] : [word], hosts: [] };
  const [before = "", ...addresses] = word.split("://");
  const hosts: string[] = [];
  const texts = addresses.length === 0 ? [word] : [];
  const rests = [before];
  let scheme = before;
  for (const address of addresses) {
    const end = address.search(/[/?#,\s]/);
    const authority = end === -1 ? address : address.slice(0, end);
    const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
    // file:///etc/passwd names no host.
    if (/(^|[^a-z])file$/i.test(scheme.slice(-5))) texts.push(end === -1 ? "" : address.slice(end));
    else hosts.push(host.toLowerCase());
    const comma = address.search(/[,\s]/);
    if (comma !== -1) rests.push(address.slice(comma + 1));
    scheme = address;
  }
  for (const rest of rests) {
    if (!/[/.~]/.test(rest)) continue;
    const pieces = rest.split(/[=:,@]/);
    if (pieces.length > 1) texts.push(...pieces);
    const stuck = /^-[A-Za-z]{1,3}(?=[/~]|\.\.?(?:\/|$))/.exec(rest) ?? /^-[A-Za-z]/.exec(rest);
    if (stuck !== null && rest.length > stuck[0].length) texts.push(rest.slice(stuck[0].length));
  }
  return { texts: texts.filter((text) => looksLikePath(text) || (text === word && !text.startsWith("-"))), hosts };
}

const GIT_REMOTES = /^(clone|fetch|pull|push|ls-remote|remote)\b/;

/** Returns hosts without a scheme: `user@host:path`, and operands of programs that take hosts. */
function findHosts(name: string, words: readonly Word[], index: number): string[] {
  const word = words[index]?.literal ?? "";
  if (word.startsWith("-") || word.includes("://")) return [];
  const login = /^[\w.+-]+@([\w.-]+):/.exec(word)?.[1];
  if (login !== undefined) return [login];
  if (DOWNLOADERS.includes(name)) return [/^([\w.-]+)(?:[:/?#]|$)/.exec(word)?.[1] ?? word];
  const host = /^(?:[\w.+-]+@)?([\w.-]+):/.exec(word)?.[1];
  if (host === undefined) return [];
  if (name !== "git") return SENDERS.includes(name) ? [host] : [];
  const sub = subcommand(name, words);
  return GIT_REMOTES.test(sub) && !isRefspec(sub, words, index) ? [host] : [];
}

/** Options of git that certainly don't take the next word. */
const GIT_FLAG =
  /^(?:--|-[4adfknpqtuv]+|--\w[\w-]*=.*|--(?:set-upstream|force|force-with-lease|tags|no-tags|follow-tags|all|mirror|prune|dry-run|quiet|verbose|no-verify|atomic|delete|progress|porcelain|rebase|no-rebase|ff-only|no-ff|ff|unshallow|append|keep|update-head-ok|autostash|thin|no-thin))$/;

/**
 * Reports whether the word is a refspec: in `git push origin HEAD:main` words after the repository name branches. If in
 * doubt, a word is the repository.
 */
function isRefspec(sub: string, words: readonly Word[], index: number): boolean {
  if (!/^(?:push|fetch|pull)\b/.test(sub) || words.some(({ mask }) => mask.startsWith("--mu"))) return false;
  const from = words.slice(0, index).findLastIndex(({ literal }) => literal === sub) + 1;
  if (from === 0) return false;
  const before = words.slice(from, index);
  return before.some(({ mask, single }, at) => {
    const previous = before[at - 1]?.literal;
    const taken = at > 0 && (previous === null || (previous?.startsWith("-") && !GIT_FLAG.test(previous)));
    return single && !mask.startsWith("-") && !taken;
  });
}

function subcommand(name: string, words: readonly Word[]): string {
  return readShape([name, ...words.map((word) => word.literal ?? "")])?.subcommand ?? "";
}
