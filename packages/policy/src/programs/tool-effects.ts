import { LOADS_NOTHING, TELLERS } from "../catalog/index.ts";
import { SERVICES, type Service } from "../catalog/places/index.ts";
import type { Usage } from "../catalog/tools/index.ts";
import { findTextProblem } from "../languages/index.ts";
import { type Effect, literalWord, makeEffect, type Span, WILD, type Word } from "../model/index.ts";
import { judgeRead, type PathSite, relyOnJail } from "../paths/index.ts";
import { type ParsedOptions, resolvePath } from "../shell/index.ts";
import type { Identified } from "./identify.ts";
import { LOADS, SERVICE } from "./network.ts";
import { findReadings, type Reading } from "./tool-usage.ts";

/** Rule id for a use of a tool that isn't in the catalogue: its effects are as unknown as any program's. */
export const NOT_IN_TABLE = "tool.not-in-table";

/** Returns the effects of a tool of the catalogue; undefined if `name` is none. `words` follow the command word. */
export function judgeTool(name: string, words: readonly Word[], site: PathSite): Effect[] | undefined {
  const readings = findReadings(name, words);
  if (readings === undefined) return undefined;
  let problem: string | undefined;
  for (const reading of readings) {
    const found = findResponseFile(reading, words) ?? findProblem(reading);
    if (found === undefined) return judgeReading(reading, site);
    problem ??= found;
  }
  const used = [name, ...words.slice(0, 1).map((word) => word.text)].join(" ");
  return [notInTable(problem ?? `Uses ${used}, which isn't in the catalogue`, site.span)];
}

function findProblem(reading: Reading): string | undefined {
  const { label, parsed, usage } = reading;
  if (parsed.unknown !== undefined) return `Uses ${label} ${parsed.unknown}, which isn't in the catalogue`;
  const other = findGiven(parsed, isUnclear);
  if (other !== undefined) return `Passes ${other.text} to ${label}, which can't be read with certainty`;
  const loose = usage.inert ? undefined : parsed.loose[0];
  if (loose !== undefined) return `Passes ${loose.text} to ${label}, which may expand to an option`;
  return findServiceProblem(reading) ?? findOperandProblem(reading) ?? findProgramProblem(reading);
}

function findGiven(parsed: ParsedOptions, fits: (word: Word) => boolean): Word | undefined {
  const { operands, paths, directories, programs, loose } = parsed;
  return operands.find(fits) ?? paths.find(fits) ?? directories.find(fits) ?? programs.find(fits) ?? loose.find(fits);
}

function isUnclear({ shape }: Word): boolean {
  return shape === "other";
}

function isOpen({ literal }: Word): boolean {
  return literal === null;
}

/** Returns the problem of words that may be sent to another machine, or may choose one. */
function findServiceProblem({ label, parsed, before, usage, words, refuses }: Reading): string | undefined {
  const open = usage.service ? findOpen([parsed, ...before]) : undefined;
  if (open !== undefined) return `Passes ${open.text} to ${label}, and its value is only known when it runs`;
  const refused = refuses && words.find((word) => word.literal === null || refuses.test(word.literal));
  return refused ? `Passes ${refused.text} to ${label}, which isn't in the catalogue` : undefined;
}

function findOpen(all: readonly ParsedOptions[]): Word | undefined {
  for (const one of all) {
    const open = findGiven(one, isOpen) ?? one.values.find(isOpen);
    if (open !== undefined) return open;
  }
  return undefined;
}

function findOperandProblem({ label, parsed, usage, operandForm, avoids, words }: Reading): string | undefined {
  const { operands, options } = parsed;
  const { maxOperands, minOperands, requires } = usage;
  if (requires !== undefined && !requires.some((option) => options.includes(option)))
    return `Uses ${label} without ${requires[0]}`;
  if (maxOperands !== undefined && (operands.length > maxOperands || operands.some((word) => !word.single)))
    return `Passes more files to ${label} than it only reads`;
  if (operands.length < (minOperands ?? 0)) return `Uses ${label} without an operand`;
  if (usage.operands === "none" && operands.length > 0) return `Passes an operand to ${label}`;
  const odd = operandForm && operands.find((word) => word.literal === null || !operandForm.test(word.literal));
  const avoided = avoids && words.find((word) => word.literal !== null && avoids.test(word.literal));
  if (avoided) return `Passes ${avoided.text} to ${label}, which isn't in the catalogue`;
  if (odd) return `Passes ${odd.text} to ${label}, which isn't in the catalogue`;
  return usage.operands === "format" ? findFormatProblem(operands[0]) : undefined;
}

function findProgramProblem({ label, parsed, usage }: Reading): string | undefined {
  if (usage.language === undefined) return undefined;
  const pieces = programPieces(parsed, usage);
  const open = pieces.find(isOpen);
  if (open !== undefined)
    return `Passes ${open.text} to ${label} as program text, and its value is only known when it runs`;
  const texts = pieces.map((word) => word.literal ?? "");
  return texts.length === 0 ? undefined : findTextProblem(usage.language, texts);
}

/** Returns the words that are program text. */
export function programPieces({ programs, operands }: Reading["parsed"], usage: Usage): readonly Word[] {
  if (usage.operands === "database") return [...programs, ...operands.slice(1)];
  return programs.length > 0 || usage.operands !== "program" ? programs : operands.slice(0, 1);
}

/** Returns the problem of a response file, whose words are unknown options and operands. */
function findResponseFile({ label, usage }: Reading, words: readonly Word[]): string | undefined {
  const word = usage.responseFiles
    ? words.find((one) => one.mask.startsWith("@") || one.mask.startsWith(WILD))
    : undefined;
  return word === undefined
    ? undefined
    : `Passes ${word.text} to ${label}, which may be replaced by the words of a file`;
}

/** Returns the problem of a format with `%n`, which assigns to a named variable and evaluates its subscript. */
function findFormatProblem(format: Word | undefined): string | undefined {
  if (format === undefined) return undefined;
  if (format.literal === null) return "Uses a printf format that is only known when it runs";
  return /%[^%a-zA-Z]*[hlLjztq]*n/.test(format.literal.replaceAll("%%", ""))
    ? "Uses the printf format %n, which assigns"
    : undefined;
}

function judgeReading(reading: Reading, outer: PathSite): Effect[] {
  const { parsed, before, usage, label } = reading;
  const { site, effects } = enterDirectories(reading, outer);
  const recursive = (usage.recursive ?? []).some((option) => option === "*" || parsed.options.includes(option));
  const settings = usage.service === true || usage.reliesOnJail !== undefined;
  const access = { namesOnly: usage.namesOnly === true, recursive, settings };
  const read = readOperands(reading);
  for (const { paths } of [...before, parsed]) for (const word of paths) effects.push(...judgeRead(word, access, site));
  for (const word of read) {
    const reads = judgeRead(word, access, site);
    // The word may be a path or a commit, so a harmless path isn't reported.
    effects.push(...(usage.operands === "revisions" ? reads.filter((effect) => effect.risk !== "safe") : reads));
  }
  effects.push(...judgeOpen(reading, { read, site }));
  if (read.length === 0 && (usage.readsCwd || recursive))
    effects.push(...judgeRead(literalWord(".", site.span), access, site));
  if (usage.reliesOnJail === true) effects.push({ ...jailed(describeLoads(reading), site), ruleId: LOADS });
  if (usage.reliesOnJail === "data") effects.push(jailed(describeJailed(reading), site));
  if (usage.service) effects.push(asksService(label, site));
  for (const name of usage.runs ?? []) effects.push(runsHelper(label, name, site));
  return (usage.follows ?? []).some((option) => parsed.options.includes(option)) ? effects.map(relyOnJail) : effects;
}

/** Enters the directories of options like `git -C dir`: each is a read, and later paths are relative to it. */
function enterDirectories({ parsed, before }: Reading, outer: PathSite): { site: PathSite; effects: Effect[] } {
  const effects: Effect[] = [];
  let site = outer;
  for (const { directories } of [...before, parsed]) {
    for (const word of directories) {
      effects.push(...judgeRead(word, { namesOnly: true, recursive: false, settings: true }, site));
      const { real, certain } = resolvePath(word, site.directory, site.machine);
      const directory = { path: real ?? site.directory.path, certain: certain && real !== undefined };
      site = { ...site, directory };
    }
  }
  return { site, effects };
}

/** Judges words that aren't literal and aren't read as paths. */
function judgeOpen(
  { parsed, label }: Reading,
  { read, site }: { readonly read: readonly Word[]; readonly site: PathSite },
): Effect[] {
  const effects: Effect[] = [];
  for (const word of [...parsed.operands, ...parsed.values]) {
    if (word.literal !== null || read.includes(word)) continue;
    if (word.shape === "glob") effects.push(...judgeRead(word, { namesOnly: true, recursive: false }, site));
    else effects.push(judgeOpenText(label, word, site));
  }
  return effects;
}

function readOperands({ parsed, usage }: Reading): readonly Word[] {
  const operands = takeOperands(parsed, usage);
  return operands.filter((word) => word.literal !== "-");
}

function takeOperands(parsed: Reading["parsed"], usage: Usage): readonly Word[] {
  const { operands, options } = parsed;
  if (usage.operands === "paths") return operands;
  if (usage.operands === "revisions") return operands.map(pathOfRevision);
  if (usage.operands === "database") return operands.slice(0, 1);
  if (usage.operands === "program") return parsed.programs.length > 0 ? operands : operands.slice(1);
  if (usage.operands !== "pattern") return [];
  const given = (usage.patternOptions ?? []).some((option) => options.includes(option));
  return given ? operands : operands.slice(1);
}

/** Returns the path in a revision like `HEAD:src/a.ts`: an old version may be a secret too. */
function pathOfRevision(word: Word): Word {
  const at = word.literal?.indexOf(":") ?? -1;
  return at === -1 ? word : literalWord(word.literal?.slice(at + 1) || ".", word.span);
}

/** Returns the effect of printing a variable, which may be a secret; a jail's environment contains none. */
function judgeOpenText(label: string, word: Word, site: PathSite): Effect {
  return { ...jailed(`Passes the value of ${word.text} to ${label}`, site), own: false };
}

function describeLoads(reading: Reading): string {
  return reading.usage.loads === undefined ? describeJailed(reading) : `Runs ${reading.usage.loads}`;
}

function describeJailed({ label, usage }: Reading): string {
  if (usage.operands === "database") return `May leave files beside the database that ${label} reads`;
  if (usage.operands === "revisions" || label.includes(" "))
    return `Reads the workspace with ${label}, by its settings`;
  return `Shows the environment or the processes with ${label}`;
}

function jailed(sentence: string, site: PathSite): Effect {
  const about = { kind: "reads", risk: "safe", ruleId: "tool.environment", own: true, reliesOnJail: true } as const;
  return makeEffect(site.span, { ...about, layer: site.layer, sentence });
}

/** Returns the effect of a program that the tool runs itself, without passing on any of the command. */
function runsHelper(label: string, name: string, site: PathSite): Effect {
  const about = { kind: "executes", risk: "safe", ruleId: "tool.helper", own: true, target: name } as const;
  return makeEffect(site.span, { ...about, layer: site.layer, sentence: `May run ${name} for ${label}` });
}

function asksService(label: string, site: PathSite): Effect {
  const { hosts = [], own } = findService(label) ?? {};
  const named = own === undefined ? [] : (site.machine.hostsIn?.(own) ?? []);
  const about = {
    kind: "network-read",
    risk: "safe",
    ruleId: SERVICE,
    own: true,
    hosts: [...new Set([...hosts, ...named])],
  } as const;
  return makeEffect(site.span, { ...about, layer: site.layer, sentence: `Asks a service with ${label}` });
}

function notInTable(sentence: string, span: Span): Effect {
  return makeEffect(span, { kind: "executes", layer: "safe-binary", ruleId: NOT_IN_TABLE, sentence, own: true });
}

const words = new Map<string, Set<string>>();
for (const teller of TELLERS) {
  for (const name of teller.names.split(/\s+/)) {
    const known = words.get(name) ?? new Set();
    for (const word of teller.words) known.add(word);
    words.set(name, known);
  }
}

const loadsNothing = new Set(LOADS_NOTHING.split(/\s+/));
/** Paths of launchers that choose a program by a file of the workspace. */
const SHIM = /\/(?:shims|\.volta|volta-shim)(?:\/|$)/;

/**
 * Returns the effects of `node --version` and similar commands with exactly one word; undefined for others. The
 * catalogue's entry counts first, but files that the program loads before it prints stay an effect.
 */
export function judgeVersion(
  { name, program }: Identified,
  operands: readonly Word[],
  site: PathSite,
): readonly Effect[] | undefined {
  const only = operands.length === 1 ? operands[0]?.literal : null;
  if (program === undefined || typeof only !== "string" || !words.get(name)?.has(only)) return undefined;
  const own = judgeTool(name, operands, site) ?? [];
  const known = own.some((effect) => effect.ruleId === NOT_IN_TABLE) ? [] : own;
  if (loadsNothing.has(name) && !SHIM.test(program)) return known;
  // Loaded code gets no network, and printing needs none.
  return [...known.filter(({ kind }) => kind !== "network-read"), mayLoad(name, site)];
}

/**
 * Returns the effect of loading files before printing. Because it only reads, a jail gives it neither network nor
 * login.
 */
function mayLoad(name: string, site: PathSite): Effect {
  const sentence = `Starts ${name}, which may load files of this directory before it prints`;
  const about = { kind: "reads", risk: "safe", ruleId: LOADS, own: true, reliesOnJail: true } as const;
  return makeEffect(site.span, { ...about, layer: site.layer, sentence });
}

const byProgram = new Map<string, Service>(
  SERVICES.flatMap((service) => service.programs.map((name): [string, Service] => [name, service])),
);

/** Returns the service that a program queries, by its name with the subcommand (`docker compose`) or its name alone. */
export function findService(label: string): Service | undefined {
  const [program = "", subcommand] = label.split(" ");
  return byProgram.get(`${program} ${subcommand}`) ?? byProgram.get(program);
}
