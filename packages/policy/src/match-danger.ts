import { type DangerInput, findTexts } from "./find-texts.ts";
import { isForeignAddress, isRemoteAddress } from "./match-address.ts";
import type { Condition, DangerPattern } from "./tables/danger.ts";
import { DANGER_PATTERNS } from "./tables/dangers.ts";

interface CompiledCondition extends Condition {
  readonly regex?: RegExp;
  /** No abbreviations: what excuses must be plain. */
  readonly whole?: true;
}

interface CompiledPattern {
  readonly pattern: DangerPattern;
  readonly subcommands?: readonly (readonly string[])[];
  readonly condition: CompiledCondition | undefined;
  readonly and: CompiledCondition | undefined;
  readonly unless: CompiledCondition | undefined;
}

const byProgram = new Map<string, CompiledPattern[]>();
for (const pattern of DANGER_PATTERNS) {
  const compiled = compile(pattern);
  for (const program of pattern.programs) byProgram.set(program, [...(byProgram.get(program) ?? []), compiled]);
}

/** The patterns that the words of one command match. */
export function matchDangers(program: string, input: DangerInput): DangerPattern[] {
  const found: DangerPattern[] = [];
  for (const compiled of byProgram.get(program) ?? []) if (matches(compiled, input)) found.push(compiled.pattern);
  return found;
}

/** Matches the program whatever its words are. */
export function goesByName(pattern: DangerPattern): boolean {
  return pattern.sub === undefined && !looksForSomething(pattern);
}

/** It only asks what is in the words, not which they are. */
export function goesByText({ contains: _, form: __, ...rest }: DangerPattern): boolean {
  return goesByName(rest);
}

function compile(pattern: DangerPattern): CompiledPattern {
  const condition = compileCondition(pattern);
  return {
    pattern,
    condition: looksForSomething(condition) ? condition : undefined,
    and: pattern.and && compileCondition(pattern.and),
    unless: pattern.unless && { ...compileCondition(pattern.unless), whole: true },
    ...(pattern.sub === undefined ? {} : { subcommands: pattern.sub.map(wordsOf) }),
  };
}

function wordsOf(subcommand: string | readonly string[]): readonly string[] {
  return typeof subcommand === "string" ? subcommand.split(" ") : subcommand;
}

function compileCondition(condition: Condition): CompiledCondition {
  return condition.form === undefined ? condition : { ...condition, regex: new RegExp(condition.form) };
}

function looksForSomething(one: Condition): boolean {
  return [one.flags, one.long, one.words, one.verbs, one.prefixes, one.contains, one.form, one.address].some(
    (part) => part !== undefined,
  );
}

function matches({ pattern, subcommands, condition, and, unless }: CompiledPattern, input: DangerInput): boolean {
  const { words } = input;
  if (subcommands !== undefined && !subcommands.some((names) => hasSubcommand(names, words))) return false;
  if (condition !== undefined && !fitsPattern(pattern, condition, input)) return false;
  if (and !== undefined && !fits(and, { ...input, texts: findTexts(pattern.text, input) })) return false;
  return unless === undefined || !fits(unless, { ...input, texts: words });
}

function fitsPattern(pattern: DangerPattern, condition: CompiledCondition, input: DangerInput): boolean {
  const { words } = input;
  const first = words[0];
  if (pattern.bareFlags && first && hasFlag(`-${first.replace(/^-/, "")}`, condition)) return true;
  const end = pattern.beforeSubcommand ? words.findIndex((_, index) => isSubcommand(words, index)) : -1;
  const options = end === -1 ? words : words.slice(0, end);
  return fits(condition, { ...input, words: options, texts: findTexts(pattern.text, input) });
}

interface Looked extends Pick<DangerInput, "words" | "subcommand"> {
  /** Where the condition looks for pieces of text; for all else it looks at whole words. */
  readonly texts: readonly string[];
}

function fits(condition: CompiledCondition, { words, texts, subcommand }: Looked): boolean {
  const { words: exact, verbs, prefixes, contains, regex, address } = condition;
  if (exact && words.some((word) => exact.includes(word))) return true;
  if (prefixes && words.some((word) => prefixes.some((prefix) => word.startsWith(prefix)))) return true;
  if (contains && texts.some((text) => includesAny(text.toLowerCase(), contains))) return true;
  if (regex && texts.some((text) => regex.test(text))) return true;
  if (verbs && (subcommand ?? leadingWords(words)).some((word) => verbs.some((verb) => isVerb(word, verb))))
    return true;
  if (address && words.some(address === "remote" ? isRemoteAddress : isForeignAddress)) return true;
  return hasOption(condition, words);
}

function includesAny(text: string, pieces: readonly string[]): boolean {
  return pieces.some((piece) => text.includes(piece));
}

function isVerb(word: string, verb: string): boolean {
  return verb.endsWith("*") ? word.startsWith(verb.slice(0, -1)) : word === verb;
}

function hasOption(condition: CompiledCondition, words: readonly string[]): boolean {
  if (condition.flags === undefined && condition.long === undefined) return false;
  for (const word of words) {
    if (word === "--") return false;
    if (condition.flags !== undefined && hasFlag(word, condition)) return true;
    if (condition.long !== undefined && hasLong(word, condition.long, condition.whole)) return true;
  }
  return false;
}

/** In any cluster: without `valued` a letter of another option's value may match too, which errs to the careful side. */
function hasFlag(word: string, { flags = "", valued = "" }: Condition): boolean {
  if (word[0] !== "-" || word[1] === "-") return false;
  for (const letter of word.slice(1)) {
    if (flags.includes(letter)) return true;
    if (valued.includes(letter)) return false;
  }
  return false;
}

function hasLong(word: string, names: readonly string[], whole?: true): boolean {
  if (!word.startsWith("--")) return false;
  const name = /^--([a-z][\w-]*)/.exec(word)?.[1];
  if (name === undefined) return false;
  return whole ? names.includes(name) : names.some((long) => long.startsWith(name));
}

/** Global options and the values they may take can stand before the subcommand: `kubectl -n web delete`. */
function hasSubcommand(names: readonly string[], words: readonly string[]): boolean {
  for (let index = 0; index < words.length; index += 1) {
    if (names.every((name, offset) => words[index + offset] === name)) return true;
    if (isSubcommand(words, index)) return false;
  }
  return false;
}

/** Neither an option nor, perhaps, the value of one. */
function isSubcommand(words: readonly string[], index: number): boolean {
  return !words[index]?.startsWith("-") && !words[index - 1]?.startsWith("-");
}

/** The words that aren't options, up to the first option after two of them: from there on they are values. */
function leadingWords(words: readonly string[]): string[] {
  const leading: string[] = [];
  for (const word of words) {
    if (!word.startsWith("-")) leading.push(word);
    else if (leading.length >= 2) break;
  }
  return leading.slice(0, 6);
}
