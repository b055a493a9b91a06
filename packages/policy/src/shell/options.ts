import type { Usage } from "../catalog/tools/index.ts";
import { WILD, type Word } from "../model/index.ts";

type OptionKind =
  | "flag"
  | "value"
  | "number"
  | "path"
  | "directory"
  | "program"
  | "choice"
  | "optional"
  | "two-values"
  | "name-and-path";

export interface OptionTable {
  /** How each option, written with its dashes, takes a value. */
  readonly kinds: ReadonlyMap<string, OptionKind>;
  /** Allowed values of options that take one of a few. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

export interface ParsedOptions {
  readonly options: readonly string[];
  readonly operands: readonly Word[];
  /** Option values that aren't paths and are words of their own. */
  readonly values: readonly Word[];
  /** Option values that name a file to read. */
  readonly paths: readonly Word[];
  /** Option values that name a directory to work in, in order. */
  readonly directories: readonly Word[];
  /** Values of options that are program text. */
  readonly programs: readonly Word[];
  /** Words that may expand to options; harmless only for inert tools. */
  readonly loose: readonly Word[];
  /** Number of words read; all, unless reading stopped at the first operand. */
  readonly read: number;
  /** The first word that isn't in the table. */
  readonly unknown?: string;
}

const MARKS: Readonly<Record<string, OptionKind>> = {
  ":": "value",
  "#": "number",
  "@": "path",
  "/": "directory",
  "!": "program",
  "?": "optional",
  "::": "two-values",
  ":@": "name-and-path",
};

/** In a list: any long option that the list doesn't name. */
const ANY = "--*";

export function compileOptions(...lists: readonly string[]): OptionTable {
  const kinds = new Map<string, OptionKind>();
  const choices = new Map<string, readonly string[]>();
  for (const token of lists.flatMap((list) => list.split(/\s+/)).filter((one) => one !== "")) {
    const [, name = "", mark = ""] = token === ANY ? [token, token, "?"] : (/^(-.[\w.+-]*)(.*)$/s.exec(token) ?? []);
    kinds.set(name, mark.startsWith("=") ? "choice" : (MARKS[mark] ?? "flag"));
    if (mark.startsWith("=")) choices.set(name, mark.slice(1).split("|"));
  }
  return { kinds, choices };
}

/** Fields of a usage that decide how words are split. */
export type Splitting = Pick<Usage, "dashNumber" | "optionsFirst" | "clusters" | "inert" | "patternOptions"> &
  Partial<Pick<Usage, "operands">> & {
    /** Stops before the first operand. */
    readonly leading?: true;
  };

/**
 * Splits words as getopt_long does: clusters, attached values, `--`, options after operands. Abbreviated long options
 * are unknown, because their meaning depends on the tool's version.
 */
export function parseOptions(words: readonly Word[], table: OptionTable, how: Splitting): ParsedOptions {
  const state = new State(words, table, how);
  while (state.next < words.length && state.unknown === undefined) {
    const word = words[state.next] as Word;
    if (how.leading && !/^-./.test(word.literal ?? "")) break;
    state.next += 1;
    if (state.ended) state.operands.push(word);
    else if (word.literal === null) state.takeOpen(word);
    else if (word.literal === "--") state.ended = true;
    else if (how.dashNumber && /^-\d+$/.test(word.literal)) continue;
    else if (word.literal.startsWith("--")) state.takeWhole(word.literal, word);
    else if (word.literal.startsWith("-") && word.literal !== "-") state.takeShort(word.literal, word);
    else state.takeOperand(word);
  }
  const { options, operands, values, paths, directories, programs, loose, unknown, next } = state;
  const found = { options, operands, values, paths, directories, programs, loose, read: next };
  return unknown === undefined ? found : { ...found, unknown };
}

class State {
  next = 0;
  ended = false;
  unknown: string | undefined;
  readonly options: string[] = [];
  readonly operands: Word[] = [];
  readonly values: Word[] = [];
  readonly paths: Word[] = [];
  readonly directories: Word[] = [];
  readonly programs: Word[] = [];
  readonly loose: Word[] = [];
  readonly #words: readonly Word[];
  readonly #table: OptionTable;
  readonly #how: Splitting;

  constructor(words: readonly Word[], table: OptionTable, how: Splitting) {
    this.#words = words;
    this.#table = table;
    this.#how = how;
  }

  takeOpen(word: Word): void {
    const first = word.mask[0];
    const open = first === "-" || first === WILD || (word.tilde && word.mask[1] === WILD);
    if (open && !word.isPath) this.loose.push(word);
    this.takeOperand(word);
  }

  takeOperand(word: Word): void {
    this.operands.push(word);
    if (this.#how.optionsFirst) this.ended = true;
  }

  /** Takes a word that is one option, with its value after `=` or in the next word. */
  takeWhole(text: string, word: Word): void {
    const at = text.indexOf("=");
    const name = at === -1 ? text : text.slice(0, at);
    const { kinds } = this.#table;
    const kind = kinds.get(name) ?? (name.startsWith("--") ? kinds.get(ANY) : undefined);
    if (kind === undefined || (kind === "flag" && at !== -1)) this.unknown = name;
    else {
      this.options.push(name);
      if (kind !== "flag" && kind !== "optional")
        this.#takeValue(at === -1 ? "" : text.slice(at + 1), { name, kind, word, attached: at !== -1 });
    }
  }

  takeShort(text: string, word: Word): void {
    const { clusters } = this.#how;
    if (clusters === "none") this.takeWhole(text, word);
    else if (clusters === "flags" && text.length > 2 && !this.#areFlags(text)) this.unknown = text;
    else this.#takeCluster(text, word);
  }

  #areFlags(text: string): boolean {
    return [...text.slice(1)].every((letter) => this.#table.kinds.get(`-${letter}`) === "flag");
  }

  #takeCluster(text: string, word: Word): void {
    for (let index = 1; index < text.length && this.unknown === undefined; index += 1) {
      const name = `-${text[index]}`;
      const kind = this.#table.kinds.get(name);
      if (kind === undefined) this.unknown = name;
      else {
        this.options.push(name);
        if (kind === "flag") continue;
        const rest = this.#stuck(text.slice(index + 1));
        if (kind !== "optional") this.#takeValue(rest, { name, kind, word, attached: rest !== "" });
        return;
      }
    }
  }

  #stuck(rest: string): string {
    return this.#how.clusters === "equals" ? rest.replace(/^=(?=.)/s, "") : rest;
  }

  #takeValue(text: string, taking: Taking): void {
    const { kind } = taking;
    if (kind !== "two-values" && kind !== "name-and-path") return this.#takeOne(text, taking);
    this.#takeOne(text, { ...taking, kind: "value" });
    this.#takeOne("", { ...taking, kind: kind === "two-values" ? "value" : "path", attached: false });
  }

  #takeOne(text: string, { name, kind, word, attached }: Taking): void {
    const value = attached
      ? { ...word, literal: text, mask: text, guess: text, tilde: false }
      : this.#words[this.next++];
    if (value === undefined) return;
    // An unquoted expansion may vanish or split, which shifts the words after it.
    if (!value.single || value.shape === "other") this.loose.push(value);
    if (kind === "path") this.paths.push(value);
    else if (kind === "directory") this.directories.push(value);
    else if (kind === "program") this.programs.push(value);
    else if (!attached) this.values.push(value);
    if (!this.#fits(value, { name, kind, attached })) this.unknown = attached ? `${name} ${value.literal}` : value.text;
  }

  #fits({ literal }: Word, { name, kind, attached }: Omit<Taking, "word">): boolean {
    // Not every version takes a value here, and for those the word is an operand: accept only numbers.
    if (kind === "number") return literal === null || /^[-+]?\d[\w.]*$/.test(literal);
    if (kind === "choice") return this.#isChoice(name, literal);
    // BSD takes no option after an operand: it would run that operand as the program.
    if (kind === "program" && this.#how.operands === "program" && this.operands.length > 0) return false;
    // If this version takes no value here, the word is an option that wasn't checked.
    const sure = attached || kind === "program" || this.#how.inert || this.#how.patternOptions?.includes(name);
    return sure || !/^-[^\d]/.test(literal ?? "");
  }

  #isChoice(name: string, literal: string | null): boolean {
    const choices = this.#table.choices.get(name) ?? [];
    return choices.some((one) => (one.endsWith("*") ? literal?.startsWith(one.slice(0, -1)) : literal === one));
  }
}

interface Taking {
  readonly name: string;
  readonly kind: OptionKind;
  readonly word: Word;
  readonly attached: boolean;
}

interface SplitWords {
  /** Letters of the given options. */
  readonly options: string;
  readonly values: readonly { readonly option: string; readonly word: Word }[];
  readonly operands: readonly Word[];
}

/** Splits a builtin's words as bash's getopt does; undefined if a word isn't literal or an option is unknown. */
export function splitOptions(
  words: readonly Word[],
  { flags, valued }: { readonly flags: string; readonly valued: string },
): SplitWords | undefined {
  const values: { option: string; word: Word }[] = [];
  let options = "";
  let next = 0;
  for (let word = words[next]; word !== undefined; word = words[next]) {
    if (word.literal === null) return word.mask.startsWith("-") || !word.single ? undefined : finish();
    if (!/^-./.test(word.literal)) return finish();
    next += 1;
    if (word.literal === "--") return finish();
    for (let at = 1; at < word.literal.length; at += 1) {
      const letter = word.literal[at] as string;
      options += letter;
      if (flags.includes(letter)) continue;
      if (!valued.includes(letter)) return undefined;
      const attached = word.literal.slice(at + 1);
      const value = attached === "" ? words[next++] : { ...word, literal: attached, mask: attached };
      if (value === undefined) return undefined;
      values.push({ option: letter, word: value });
      break;
    }
  }
  return finish();

  function finish(): SplitWords {
    return { options, values, operands: words.slice(next) };
  }
}
