import { type Condition, DANGER_PATTERNS, type DangerPattern } from "../catalog/dangers/index.ts";
import { compilePattern } from "../model/index.ts";
import { isForeignAddress, isRemoteAddress } from "../parse/index.ts";

interface CompiledCondition {
  readonly flags: string | undefined;
  readonly valued: string;
  readonly long: readonly string[] | undefined;
  readonly words: ReadonlySet<string> | undefined;
  readonly verbs: readonly string[] | undefined;
  readonly prefixes: readonly string[] | undefined;
  readonly contains: readonly string[] | undefined;
  readonly form: RegExp | undefined;
  readonly address: ((word: string) => boolean) | undefined;
  /** Matches no abbreviations, because an exception must be plain. */
  readonly whole: boolean;
}

interface CompiledPattern {
  readonly pattern: DangerPattern;
  readonly text: DangerPattern["text"];
  readonly bareFlags: boolean;
  readonly beforeSubcommand: boolean;
  readonly subcommands: readonly (readonly string[])[] | undefined;
  readonly condition: CompiledCondition | undefined;
  readonly and: CompiledCondition | undefined;
  readonly unless: CompiledCondition | undefined;
}

/** The patterns of one program in order, indexed by the first word that they need. */
interface ProgramPatterns {
  readonly all: CompiledPattern[];
  /** For first words that begin none of their subcommands. */
  readonly withoutSubcommand: readonly CompiledPattern[];
  readonly byFirstWord: ReadonlyMap<string, readonly CompiledPattern[]>;
}

const byProgram = indexPatterns();

/** Returns the patterns that a command's words match. */
export function matchDangers(program: string, input: DangerInput): DangerPattern[] {
  const patterns = byProgram.get(program);
  if (patterns === undefined) return [];
  const looked = new CommandFacts(input);
  const found: DangerPattern[] = [];
  for (const one of selectPatterns(patterns, input.words)) if (matches(one, looked)) found.push(one.pattern);
  return found;
}

/** Reports whether the pattern matches the program with any words. */
export function needsNameOnly(pattern: DangerPattern): boolean {
  return pattern.sub === undefined && !looksForSomething(pattern);
}

/** Reports whether the pattern only searches the text of words. */
export function needsTextOnly({ contains: _, form: __, ...rest }: DangerPattern): boolean {
  return needsNameOnly(rest);
}

function indexPatterns(): ReadonlyMap<string, ProgramPatterns> {
  const lists = new Map<string, CompiledPattern[]>();
  for (const pattern of DANGER_PATTERNS) {
    const compiled = compile(pattern);
    for (const program of pattern.programs) lists.set(program, [...(lists.get(program) ?? []), compiled]);
  }
  return new Map([...lists].map(([program, all]) => [program, indexBySubcommand(all)]));
}

function indexBySubcommand(all: CompiledPattern[]): ProgramPatterns {
  const begins = ({ subcommands }: CompiledPattern, word: string | undefined) =>
    subcommands === undefined || subcommands.some(([first]) => first === word);
  const words = new Set(all.flatMap(({ subcommands = [] }) => subcommands.map(([first = ""]) => first)));
  return {
    all,
    withoutSubcommand: all.filter((one) => begins(one, undefined)),
    byFirstWord: new Map([...words].map((word) => [word, all.filter((one) => begins(one, word))])),
  };
}

/** The subcommand begins at a first word that isn't an option. */
function selectPatterns(patterns: ProgramPatterns, words: readonly string[]): readonly CompiledPattern[] {
  const first = words[0];
  if (first?.startsWith("-")) return patterns.all;
  return (first === undefined ? undefined : patterns.byFirstWord.get(first)) ?? patterns.withoutSubcommand;
}

function compile(pattern: DangerPattern): CompiledPattern {
  return {
    pattern,
    text: pattern.text,
    bareFlags: pattern.bareFlags === true,
    beforeSubcommand: pattern.beforeSubcommand === true,
    subcommands: pattern.sub?.map(wordsOf),
    condition: looksForSomething(pattern) ? compileCondition(pattern, { whole: false }) : undefined,
    and: pattern.and && compileCondition(pattern.and, { whole: false }),
    unless: pattern.unless && compileCondition(pattern.unless, { whole: true }),
  };
}

function wordsOf(subcommand: string | readonly string[]): readonly string[] {
  return typeof subcommand === "string" ? subcommand.split(" ") : subcommand;
}

function compileCondition(condition: Condition, { whole }: { whole: boolean }): CompiledCondition {
  const { flags, valued = "", long, words, verbs, prefixes, contains, form, address } = condition;
  return {
    ...{ flags, valued, long, verbs, prefixes, contains, whole },
    words: words && new Set(words),
    form: form === undefined ? undefined : compilePattern(form),
    address: address && (address === "remote" ? isRemoteAddress : isForeignAddress),
  };
}

function looksForSomething(one: Condition): boolean {
  return [one.flags, one.long, one.words, one.verbs, one.prefixes, one.contains, one.form, one.address].some(
    (part) => part !== undefined,
  );
}

function matches(compiled: CompiledPattern, looked: CommandFacts): boolean {
  const { text, subcommands, condition, and, unless } = compiled;
  const { words } = looked.input;
  if (subcommands !== undefined && !subcommands.some((names) => hasSubcommand(names, words))) return false;
  if (condition !== undefined && !fitsPattern(compiled, condition, looked)) return false;
  if (and !== undefined && !fits(and, looked.in(text))) return false;
  return unless === undefined || !fits(unless, looked.in(undefined));
}

function fitsPattern(compiled: CompiledPattern, condition: CompiledCondition, looked: CommandFacts): boolean {
  const { text, bareFlags, beforeSubcommand } = compiled;
  const { input } = looked;
  const { words } = input;
  const first = words[0];
  if (bareFlags && first && hasFlag(first.replace(/^-/, ""), condition)) return true;
  const end = beforeSubcommand ? words.findIndex((_, index) => isSubcommand(words, index)) : -1;
  if (end === -1) return fits(condition, looked.in(text));
  return fits(condition, new WordFacts(words.slice(0, end), findTexts(text, input), input));
}

function fits(condition: CompiledCondition, looked: WordFacts): boolean {
  const { words: exact, verbs, prefixes, contains, form, address, flags, long } = condition;
  const { words } = looked;
  if (exact !== undefined && hasExact(words, exact)) return true;
  if (prefixes !== undefined && hasPrefix(words, prefixes)) return true;
  if (contains !== undefined && hasPiece(looked.loweredTexts, contains)) return true;
  if (form !== undefined && hasForm(looked.texts, form)) return true;
  if (verbs !== undefined && hasVerb(looked.doing, verbs)) return true;
  if (address !== undefined && words.some(address)) return true;
  if (flags !== undefined && hasFlags(looked.options.clusters, condition)) return true;
  return long !== undefined && hasLong(looked, long, condition);
}

// Loops instead of closures, because these run most often.
function hasExact(words: readonly string[], exact: ReadonlySet<string>): boolean {
  for (const word of words) if (exact.has(word)) return true;
  return false;
}

function hasPrefix(words: readonly string[], prefixes: readonly string[]): boolean {
  for (const word of words) for (const prefix of prefixes) if (word.startsWith(prefix)) return true;
  return false;
}

function hasPiece(texts: readonly string[], pieces: readonly string[]): boolean {
  for (const text of texts) for (const piece of pieces) if (text.includes(piece)) return true;
  return false;
}

function hasForm(texts: readonly string[], form: RegExp): boolean {
  for (const text of texts) if (form.test(text)) return true;
  return false;
}

function hasVerb(words: readonly string[], verbs: readonly string[]): boolean {
  for (const word of words) for (const verb of verbs) if (isVerb(word, verb)) return true;
  return false;
}

function isVerb(word: string, verb: string): boolean {
  return verb.endsWith("*") ? word.startsWith(verb.slice(0, -1)) : word === verb;
}

function hasLong(looked: WordFacts, long: readonly string[], { whole }: CompiledCondition): boolean {
  for (const name of looked.options.longs) {
    for (const one of long) {
      if (one === name) return true;
      if (!whole && one.startsWith(name) && looked.mayAbbreviate(name)) return true;
    }
  }
  return false;
}

function hasFlags(clusters: readonly string[], condition: CompiledCondition): boolean {
  for (const letters of clusters) if (hasFlag(letters, condition)) return true;
  return false;
}

/**
 * Searches clusters for a flag. Without `valued`, a letter of another option's value may match too, which errs on the
 * safe side.
 */
function hasFlag(letters: string, { flags = "", valued }: CompiledCondition): boolean {
  if (letters[0] === "-") return false;
  for (const letter of letters) {
    if (flags.includes(letter)) return true;
    if (valued.includes(letter)) return false;
  }
  return false;
}

/** Global options and their values may precede the subcommand: `kubectl -n web delete`. */
function hasSubcommand(names: readonly string[], words: readonly string[]): boolean {
  for (let index = 0; index < words.length; index += 1) {
    if (names.every((name, offset) => words[index + offset] === name)) return true;
    if (isSubcommand(words, index)) return false;
  }
  return false;
}

/** Reports whether the word is neither an option nor possibly an option's value. */
function isSubcommand(words: readonly string[], index: number): boolean {
  return !words[index]?.startsWith("-") && !words[index - 1]?.startsWith("-");
}

/** What the conditions ask about the same words, each computed once on first use. */
class WordFacts {
  readonly words: readonly string[];
  /** Texts that conditions search; other conditions compare whole words. */
  readonly texts: readonly string[];
  readonly #input: DangerInput;
  #lowered: readonly string[] | undefined;
  #leading: readonly string[] | undefined;
  #options: Options | undefined;

  constructor(words: readonly string[], texts: readonly string[], input: DangerInput) {
    this.words = words;
    this.texts = texts;
    this.#input = input;
  }

  get loweredTexts(): readonly string[] {
    this.#lowered ??= this.texts.map((text) => text.toLowerCase());
    return this.#lowered;
  }

  /** Words that say what the command does. */
  get doing(): readonly string[] {
    this.#leading ??= this.#input.subcommand ?? leadingWords(this.words);
    return this.#leading;
  }

  /** Reports whether the option may abbreviate a longer one: not if the catalogue knows it as it is. */
  mayAbbreviate(name: string): boolean {
    return this.#input.mayAbbreviate(name);
  }

  get options(): Options {
    this.#options ??= findOptions(this.words);
    return this.#options;
  }
}

/** The words of one command, for each kind of text that patterns search. */
class CommandFacts {
  readonly input: DangerInput;
  #words: WordFacts | undefined;
  #code: WordFacts | undefined;
  #statements: WordFacts | undefined;

  constructor(input: DangerInput) {
    this.input = input;
  }

  in(kind: DangerPattern["text"]): WordFacts {
    switch (kind) {
      case undefined:
        this.#words ??= this.#lookIn(kind);
        return this.#words;
      case "code":
        this.#code ??= this.#lookIn(kind);
        return this.#code;
      case "statements":
        this.#statements ??= this.#lookIn(kind);
        return this.#statements;
    }
  }

  #lookIn(kind: DangerPattern["text"]): WordFacts {
    return new WordFacts(this.input.words, findTexts(kind, this.input), this.input);
  }
}

/** The options among the words up to `--`, without their dashes. */
interface Options {
  readonly clusters: readonly string[];
  readonly longs: readonly string[];
}

function findOptions(words: readonly string[]): Options {
  const clusters: string[] = [];
  const longs: string[] = [];
  for (const word of words) {
    if (word === "--") break;
    if (!word.startsWith("-")) continue;
    const long = /^--([a-z][\w-]*)/.exec(word)?.[1];
    if (long !== undefined) longs.push(long);
    else clusters.push(word.slice(1));
  }
  return { clusters, longs };
}

/** Returns the words that aren't options, up to the first option after two of them: later words are values. */
function leadingWords(words: readonly string[]): string[] {
  const leading: string[] = [];
  for (const word of words) {
    if (!word.startsWith("-")) leading.push(word);
    else if (leading.length >= 2) break;
  }
  return leading.slice(0, 6);
}

/** The words of one command after its name, with `WILD` for unknown parts, and its literal input. */
interface DangerInput {
  readonly words: readonly string[];
  readonly stdin: string | undefined;
  /** Words that say what the command does, if the catalogue knows them. */
  readonly subcommand: readonly string[] | undefined;
  /** Reports whether the program may take this long option, given without dashes, as an abbreviation. */
  mayAbbreviate(name: string): boolean;
}

/** Returns the texts that a pattern searches. */
function findTexts(kind: DangerPattern["text"], input: DangerInput): readonly string[] {
  switch (kind) {
    case undefined:
      return input.words;
    case "code":
      return findCode(input);
    case "statements":
      return findCode(input).flatMap((text) => text.split(";").map((one) => one.trim()));
  }
}

/** Returns the words that may be program text. Plain names (`src/unlink.ts`) aren't. */
function findCode({ words, stdin }: DangerInput): readonly string[] {
  const code = words.filter((word) => /[\s(;`'"<{$\\]/.test(word) || /^\.\w/.test(word));
  return stdin === undefined ? code : [...code, stdin];
}
