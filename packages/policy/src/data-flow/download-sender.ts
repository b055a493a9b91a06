import { basename, type Machine } from "../model/index.ts";
import type { Sender } from "../shell/index.ts";

/*
 * A wrong name is worse than none. So a host is named only where the proposal begins with one of a few texts that are known whole: nothing
 * stands before it that could change what curl asks or what a name means, nothing else comes into the interpreter, and each option is one that
 * neither changes who answers nor takes the answer elsewhere.
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
/** What a shell with `-s` takes for words of the script, not for options of its own. */
const GIVEN = `(?:${GAP}--|${GAP}(?!['"]?[-+])${WORD})${WORDS}`;

const FORMS: readonly RegExp[] = [
  `${DOWNLOAD}${INTO}${SHELL}(?:${GAP}-|${GAP}-s(?:${GIVEN})?)?`,
  `${DOWNLOAD}${INTO}${LANGUAGE}(?:${GAP}-)?`,
  `${SHELL}${GAP}<\\([ \\t]*${DOWNLOAD}\\)${WORDS}`,
  `${SHELL}${GAP}-c${GAP}"\\$\\([ \\t]*${DOWNLOAD}\\)"${WORDS}`,
  `(?<builtin>eval)${GAP}"\\$\\([ \\t]*${DOWNLOAD}\\)"`,
  `(?<builtin>source|\\.)${GAP}<\\([ \\t]*${DOWNLOAD}\\)`,
].map((form) => new RegExp(`^[ \\t]*${form}(?=[ \\t]*(?:$|[;\\n]|&&|\\|\\|))`));

/** `sends`: without one of these the answer isn't what comes out. */
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
/** The next word is theirs. */
const VALUED = /^(?:-[sSfL]*o|--output|--proto|-q?O|--output-document)$/;

/** With a login before the name, and without what parsers of addresses read in several ways. */
const ADDRESS =
  /^(?:(?:https?|ftp):\/\/)?(?:[\w.%+-]+(?::[\w.%+-]*)?@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost)(?::\d+)?(?:\/[^\s\\]*)?$/i;

/** undefined where it isn't certain who sends what runs, or that nothing else does. */
export function findSender(command: string, context: Machine): Sender | undefined {
  // What is added to the environment may name a proxy, settings, or a file that a shell reads first.
  if (Object.keys(context.env).length > 0) return undefined;
  const found = FORMS.map((form) => form.exec(command)).find((one) => one !== null);
  const { download = "", runner, wrapper, builtin } = found?.groups ?? {};
  const [downloader = "", ...words] = [...download.matchAll(EACH_WORD)].map(([word]) => unquote(word));
  const hosts = hostsIn(words, DOWNLOADERS[downloader]);
  const into = builtin ?? basename(runner ?? "");
  if (found === undefined || hosts === undefined) return undefined;
  const programs = [downloader, ...(wrapper === undefined ? [] : [wrapper]), ...(builtin === undefined ? [into] : [])];
  if (programs.some((name) => context.resolveProgram(name) === undefined)) return undefined;
  return { span: { pos: 0, end: found[0].length }, sentence: `runs what ${say(hosts)}, in ${into}` };
}

function say([first, second, ...others]: readonly string[]): string {
  if (second === undefined) return `${first} sends`;
  return `${first} and ${others.length === 0 ? second : `${others.length + 1} others`} send`;
}

function unquote(word: string): string {
  return /^['"]/.test(word) ? word.slice(1, -1) : word;
}

function hostsIn(words: readonly string[], downloader: Downloader | undefined): readonly string[] | undefined {
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
