import type { Enforcement } from "@countersign/vocabulary";
import { INTERPRETERS, RUNNERS, WRAPPERS } from "../catalog/index.ts";
import { basename, type Classification, type Effect, isInside, type Part } from "../model/index.ts";
import {
  compilePattern,
  escapePatternWord,
  firstLiteral,
  isForSandboxes,
  isForToolCalls,
  isOutOfSight,
  literalOf,
  matchesAllowed,
  type Pattern,
  userWords,
} from "../patterns/index.ts";
import {
  assess,
  type Ceiling,
  type Circumstances,
  type Entry,
  findLoose,
  isSafe,
  MAX_PATTERN_LENGTH,
  underEnforcement,
} from "../profile/index.ts";
import { isExact } from "../programs/index.ts";
import { PLAIN_VARIABLE } from "../shell/index.ts";
import { isExactlyDangerous, makeCeiling, makeWrittenCeiling } from "./ceiling.ts";
import { holdCode, leavesCodeOpen } from "./code.ts";
import { namesBoth } from "./covers.ts";

export interface DeriveOptions {
  readonly roots: readonly string[];
  /** If set, safe parts need entries too. */
  readonly safeIsMiss?: boolean;
  readonly enforcement?: Enforcement;
  /** If given, entries pin the code that their commands run. */
  readonly hashFile?: Circumstances["hashFile"] | undefined;
}

export interface DerivedEntries {
  readonly entries: readonly Entry[];
  /** Why no entry can be saved, for the person who tried. */
  readonly note?: string;
  /** Code that the entries don't pin and that can change while the command stays the same. */
  readonly open?: string;
}

/**
 * Returns the entries that `allow-always` saves: one for each part that needed the answer, no wider than what was seen.
 */
export function deriveEntries(classification: Classification, options: DeriveOptions): DerivedEntries {
  const enforcement = options.enforcement ?? "jail";
  const loose = findLoose(classification).find((effect) => !isSafe([effect], { enforcement }));
  const refusal = findRefusal(classification) ?? loose?.sentence;
  if (refusal !== undefined) return { entries: [], note: `allow-always can't be saved: ${refusal}` };
  const { parts } = classification;
  const unsafe = parts.filter((part) => !isSafe(part.effects, { enforcement }));
  const wanted = unsafe.length === 0 || options.safeIsMiss ? parts : unsafe;
  const entries: Entry[] = [];
  const notes: string[] = [];
  const open: string[] = [];
  for (const part of wanted) {
    const derived = deriveEntry(part, { parts, options });
    if (derived === "covered-by-another") continue;
    if (typeof derived === "string") {
      notes.push(derived);
      continue;
    }
    const { entry, holds } = derived;
    if (!holds) open.push(entry.pattern);
    if (!entries.some((one) => JSON.stringify(one) === JSON.stringify(entry))) entries.push(entry);
  }
  return {
    entries,
    ...(notes.length > 0 ? { note: `allow-always can't be saved for ${notes.join("; ")}` } : {}),
    ...(open.length > 0 ? { open: describeOpen(open) } : {}),
  };
}

interface PartSetting {
  readonly parts: readonly Part[];
  readonly options: DeriveOptions;
}

export function describeOpen(patterns: readonly string[]): string {
  return `${[...new Set(patterns)].join(", ")} doesn't hold the code that it runs, which can change`;
}

interface Derived {
  readonly entry: Entry;
  /** Whether its code is pinned, or it runs none. */
  readonly holds: boolean;
}

function deriveEntry(part: Part, { parts, options }: PartSetting): Derived | string {
  const enforcement = options.enforcement ?? "jail";
  const index = parts.indexOf(part);
  const inner = parts.find((one) => one.wrapper === index);
  const outer = part.wrapper === undefined ? undefined : parts[part.wrapper];
  const names = (one: Part) => basename(one.words[0] ?? "");
  if (outer !== undefined && isNamedWith(outer)) return "covered-by-another";
  if (inner !== undefined && !isNamedWith(part))
    return isSafe(part.effects, { enforcement }) ? "covered-by-another" : `${names(part)} (what it runs decides)`;
  const together = inner === undefined ? [part] : [part, inner];
  const label = part.words
    .map((word) => word ?? "…")
    .slice(0, 3)
    .join(" ");
  const missing = together.find((one) => one.program === undefined && !one.toolCall);
  if (missing) return `${label} (${names(missing) || "its program"} isn't on the trusted PATH)`;
  const foreign = together
    .flatMap((one) => one.effects)
    .find((effect) => !effect.own && !isSafe([effect], { enforcement }));
  if (foreign) return `${label} (${foreign.sentence})`;
  const pattern = inner === undefined ? patternFor(part) : patternForBoth(part, inner);
  if (pattern === undefined) return `${label} (an entry would cover whatever it runs)`;
  if (pattern.length > MAX_PATTERN_LENGTH) return `${label} (it is too long)`;
  const ceiling = makeCeiling(together, { roots: options.roots, enforcement });
  if (ceiling === undefined) return `${label} (where it runs isn't certain)`;
  const entry = holdCode({ pattern, ceiling }, together, options.hashFile);
  return { entry, holds: options.hashFile === undefined || !leavesCodeOpen(entry, together) };
}

/** Reports whether a wrapper with effects of its own, such as sudo, is saved together with its command. */
function isNamedWith(part: Part): boolean {
  return part.effects.some((effect) => effect.kind === "privilege" && effect.ruleId === "wrapper.privilege");
}

interface CommandSetting {
  readonly enforcement: Enforcement;
  /** Directories in which the same words may do the same. Without them, or if dangerous, only the seen places. */
  readonly roots?: readonly string[] | undefined;
}

/**
 * Returns an entry for this exact command, with its redirects and all that it runs, or the reason why there is none.
 */
export function deriveForCommand(classification: Classification, setting: CommandSetting): Entry | string {
  const { parts, command } = classification;
  const refusal = findRefusal(classification) ?? findUnknown(classification, setting);
  if (refusal !== undefined) return refusal;
  const first = parts[0];
  const pattern = first === undefined ? undefined : exactPattern(first);
  if (pattern === undefined) return "its words can't be held one by one";
  if (Math.max(pattern.length, command.length) > MAX_PATTERN_LENGTH) return "it is too long";
  return { pattern, command: command.trim(), ceiling: makeCommandCeiling(classification, setting) };
}

/** Returns what the text alone leaves open: words, directory, or environment. */
function findUnknown({ parts, effects }: Classification, { enforcement }: CommandSetting): string | undefined {
  if (parts.some((part) => part.words.includes(null))) return "some of its words are only known when it runs";
  if (parts.some((part) => part.directory === undefined)) return "where it runs isn't certain";
  const unsafe = effects.filter((effect) => underEnforcement(effect, enforcement).risk !== "safe");
  return unsafe.find(isUnsettled)?.sentence;
}

/** Reports whether the effect isn't fixed by the text. Plain variables that the text sets are. */
function isUnsettled({ kind, span, ruleId }: Effect): boolean {
  if (kind === "environment") return span.end === span.pos || ruleId !== PLAIN_VARIABLE;
  return kind === "obfuscation";
}

function makeCommandCeiling(classification: Classification, { enforcement, roots }: CommandSetting): Ceiling {
  const { riskLevel: risk } = assess(classification, enforcement);
  const kinds = [...new Set(classification.effects.map((effect) => effect.kind))];
  const places = [...new Set(classification.parts.flatMap((part) => part.directory ?? []))];
  const targets = classification.effects.flatMap(({ kind, target }) =>
    target?.startsWith("/") && kind !== "executes" ? [target] : [],
  );
  if (roots === undefined || risk === "dangerous") return { kinds, risk, roots: [...new Set(targets)], places };
  const widen = (path: string) => roots.find((root) => isInside(path, root)) ?? path;
  return { kinds, risk, roots: [...new Set([...places, ...targets].map(widen))] };
}

interface PatternSetting extends Pick<Circumstances, "enforcement" | "hashFile"> {
  readonly roots: readonly string[];
}

/**
 * Returns an entry with a pattern that a person wrote, limited to what was seen of the parts it matches, or the reason
 * why there is none.
 */
export function deriveForPattern(
  text: string,
  classification: Classification,
  setting: PatternSetting,
): Entry | string {
  if (text.length > MAX_PATTERN_LENGTH) return "the pattern is too long";
  const pattern = compilePattern(text);
  const refusal = findRefusal(classification) ?? findTooWide(pattern);
  if (refusal !== undefined) return refusal;
  const parts = findMeant(pattern, classification.parts);
  if (parts.length === 0) return "the pattern fits nothing in the command";
  return holdCode({ pattern: text, ceiling: makeWrittenCeiling(parts, setting) }, parts, setting.hashFile);
}

/** Returns the parts that the pattern matches, and those that it names behind a wrapper. */
function findMeant(pattern: Pattern, parts: readonly Part[]): Part[] {
  return parts.filter((part) => {
    const outer = part.wrapper === undefined ? undefined : parts[part.wrapper];
    return matchesAllowed(pattern, part) || (outer !== undefined && namesBoth({ pattern }, outer, part));
  });
}

/** Returns why a pattern is too wide: it must name the program, and also what an interpreter or runner runs. */
export function findTooWide(pattern: Pattern): string | undefined {
  const name = firstLiteral(pattern);
  if (isForToolCalls(pattern)) {
    const whose = isForSandboxes(pattern) ? "the sandbox" : "the MCP server";
    return name === undefined ? `the pattern must name ${whose}` : undefined;
  }
  if (name === undefined) return "the pattern must begin with a program's name";
  const next = pattern[1] === undefined ? undefined : literalOf(pattern[1]);
  const open = pattern.slice(1).every((word) => literalOf(word) === undefined);
  if (runsFirst(basename(name)) && (next === undefined || next.startsWith("-")))
    return `the pattern would cover whatever ${name} runs`;
  return runsWords(basename(name)) && open ? `the pattern would cover whatever ${name} runs` : undefined;
}

/**
 * Returns `<program> **`. For an interpreter or runner it includes the first word, and is undefined unless that is a
 * plain word.
 */
function patternFor(part: Part): string | undefined {
  if (part.toolCall) return patternForTool(part);
  const name = basename(part.words[0] ?? "");
  if (runsWords(name)) return undefined;
  const runs = runsFirst(name);
  const script = part.words[1];
  if (runs && (script === undefined || script === null || script === "" || script.startsWith("-"))) return undefined;
  if (isExact(part.words) || isExactlyDangerous(part)) return exactPattern(part);
  if (!runs || !script) return `${escapePatternWord(name)} **`;
  return `${escapePatternWord(name)} ${escapePatternWord(script)} **`;
}

/** Returns a pattern for this tool of this server with any arguments, or with these if they are dangerous. */
function patternForTool(part: Part): string | undefined {
  const [server, tool] = part.words;
  if (isExactlyDangerous(part) || changesRights(part) || isOutOfSight(part.words)) return exactPattern(part);
  return `${[server ?? "", tool ?? "", ...userWords(part.words)].map(escapePatternWord).join(" ")} **`;
}

/** Reports whether the part changes rights, which an entry must not allow beyond what was seen. */
function changesRights({ effects }: Part): boolean {
  return effects.some(({ kind }) => kind === "privilege");
}

/** Reports whether its words are another command, so that an entry for it alone allows nothing definite. */
function runsWords(name: string): boolean {
  if (name === "env" || name === "xargs") return true;
  return WRAPPERS.some((wrapper) => wrapper.names.includes(name) && wrapper.causes !== undefined);
}

/** Reports whether its first word is what it runs. */
function runsFirst(name: string): boolean {
  return [...INTERPRETERS, ...RUNNERS].includes(name) || /^(python|ruby|perl|php|node|lua)[\d.]*$/.test(name);
}

/**
 * Returns a pattern of exactly these words; undefined if one is empty or ends in white space, which patterns can't
 * express.
 */
function exactPattern(part: Part): string | undefined {
  const [head, ...rest] = part.words;
  if (head === null || head === undefined || rest.some((word) => word === null || word === "")) return undefined;
  const words = [part.toolCall ? head : basename(head), ...(rest as readonly string[])];
  return /\s$/.test(words.at(-1) ?? "") ? undefined : words.map(escapePatternWord).join(" ");
}

function patternForBoth(part: Part, inner: Part): string | undefined {
  const own = part.words.slice(0, part.words.length - inner.words.length);
  const rest = patternFor(inner);
  if (rest === undefined || own.length === 0 || own.includes(null)) return undefined;
  const [head = "", ...options] = own as readonly string[];
  return [basename(head), ...options].map(escapePatternWord).concat(rest).join(" ");
}

/** Returns why no entry can allow this command more than once. */
function findRefusal({ opaque, effects }: Classification): string | undefined {
  if (opaque) return "the command can't be read to its end";
  const floor = effects.find((effect) => effect.floor);
  return floor && `only a person can allow this each time (${floor.sentence})`;
}
