import { CODE_RULES, type CodeRule, INLINE_CODE, RUNS_FILE, RUNS_PACKAGE } from "../catalog/index.ts";
import { normalize, type Word } from "../model/index.ts";
import type { Directory } from "../shell/index.ts";
import type { Identified } from "./identify.ts";

/** Lists of paths. The first existing file of each list runs, so the absence of those before it matters. */
type CodeFiles = readonly (readonly string[])[];

const NONE: CodeFiles = [];
const MAX_CLIMB = 32;
const rules = new Map(CODE_RULES.flatMap((rule) => rule.names.map((name) => [name, rule] as const)));
const inline = new Map(
  INLINE_CODE.flatMap(({ names, option }) => names.map((name) => [name, new RegExp(option)] as const)),
);
const runsFile = new Set(RUNS_FILE);
const runsPackage = new Set(RUNS_PACKAGE);

interface Place {
  readonly directory: Directory;
  readonly home: string;
}

/**
 * Returns the files whose code a command is about to run; undefined if they aren't known. Doesn't look at the file
 * system.
 */
export function findCode(
  { name, program }: Identified,
  [head, ...rest]: readonly Word[],
  place: Place,
): CodeFiles | undefined {
  // A program on the trusted PATH isn't the project's code.
  const given = program === undefined && head?.literal?.includes("/") ? head : undefined;
  const own = given === undefined ? NONE : locate(given, place);
  const run = findGiven(name, rest, place);
  return own === undefined || run === undefined ? undefined : [...own, ...run];
}

/** Reports whether programs of this name run code from files. */
export function runsCode(name: string): boolean {
  return rules.has(name) || runsFile.has(name) || runsPackage.has(name);
}

function findGiven(name: string, words: readonly Word[], place: Place): CodeFiles | undefined {
  if (runsPackage.has(name)) return undefined;
  const rule = rules.get(name);
  // `bun x.ts` runs a file and `bun test` the package's code: both are pinned.
  const script = runsFile.has(name) || /^(python|ruby|perl|php|node|lua)[\d.]+$/.test(name);
  const file = script ? findScript(name, words, place) : NONE;
  const project = rule === undefined ? NONE : findProject(rule, words, place);
  return file === undefined || project === undefined ? undefined : [...file, ...project];
}

function findScript(name: string, words: readonly Word[], place: Place): CodeFiles | undefined {
  const first = words[0];
  // Without an operand it runs its standard input.
  if (first === undefined || first.literal === null || first.literal === "") return undefined;
  if (inline.get(name)?.test(first.literal)) return NONE;
  return first.literal.startsWith("-") ? undefined : locate(first, place);
}

function findProject(rule: CodeRule, words: readonly Word[], place: Place): CodeFiles | undefined {
  if (words.some((word) => word.literal === null)) return undefined;
  if (words.some((word) => findOption(rule.elsewhere, word) !== undefined)) return undefined;
  const instead = words.flatMap((word, index) => readValue(rule.instead, word, words[index + 1]) ?? []);
  if (instead.length > 0) return located(instead, place);
  if (!place.directory.certain) return undefined;
  const directories = rule.climbs ? climb(place.directory.path) : [place.directory.path];
  return [directories.flatMap((directory) => rule.files.map((file) => normalize(`${directory}/${file}`)))];
}

/**
 * Returns an option's value in `-f x`, `-fx` or `--file=x`. A missing value is an empty word, which names a directory
 * and never a file.
 */
function readValue(options: CodeRule["instead"], word: Word, next?: Word): Word | undefined {
  const option = findOption(options, word);
  if (option === undefined) return undefined;
  const rest = (word.literal ?? "").slice(option.length).replace(option.startsWith("--") ? /^=/ : /^/, "");
  return word.literal === option && next !== undefined ? next : { ...word, literal: rest, tilde: false };
}

function findOption(options: readonly string[] = [], { literal }: Word): string | undefined {
  const text = literal ?? "";
  return options.find((one) => text === one || text.startsWith(one.startsWith("--") ? `${one}=` : one));
}

function located(words: readonly Word[], place: Place): CodeFiles | undefined {
  const found: (readonly string[])[] = [];
  for (const word of words) {
    const files = locate(word, place);
    if (files === undefined) return undefined;
    found.push(...files);
  }
  return found;
}

function locate({ literal, tilde }: Word, { directory, home }: Place): CodeFiles | undefined {
  // `link/..` is the parent of the link's target.
  if (literal === null || /[^./]\/+\.\.(\/|$)/.test(literal)) return undefined;
  if (tilde) return literal === "~" || literal.startsWith("~/") ? [[normalize(home + literal.slice(1))]] : undefined;
  if (literal.startsWith("/")) return [[normalize(literal)]];
  return directory.certain ? [[normalize(`${directory.path}/${literal}`)]] : undefined;
}

function climb(path: string): string[] {
  const found = [path];
  for (let at = path; at.length > 1 && found.length < MAX_CLIMB; ) {
    at = at.slice(0, Math.max(at.lastIndexOf("/"), 0)) || "/";
    found.push(at);
  }
  return found;
}
