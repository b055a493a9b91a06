import { WILD, type WordReading } from "./read-word.ts";
import type { Tool } from "./tables/tool.ts";

type OptionKind = "flag" | "value" | "number" | "path" | "optional";

export interface OptionTable {
  /** Option as written with its dashes, to how it takes a value. */
  readonly kinds: ReadonlyMap<string, OptionKind>;
}

export interface ParsedOptions {
  readonly options: readonly string[];
  readonly operands: readonly WordReading[];
  /** Values of options that aren't paths, where they are words of their own. */
  readonly values: readonly WordReading[];
  /** Values of options that name a file to read. */
  readonly paths: readonly WordReading[];
  /** Words that aren't literal and may turn into options; only harmless for inert tools. */
  readonly loose: readonly WordReading[];
  /** The first word that isn't in the table. */
  readonly unknown?: string;
}

const MARKS: Readonly<Record<string, OptionKind>> = { ":": "value", "#": "number", "@": "path", "?": "optional" };

export function compileOptions(options: string): OptionTable {
  const kinds = new Map<string, OptionKind>();
  for (const token of options.split(/\s+/).filter((one) => one !== "")) {
    const mark = token.at(-1) ?? "";
    const kind = MARKS[mark] ?? "flag";
    kinds.set(kind === "flag" ? token : token.slice(0, -1), kind);
  }
  return { kinds };
}

/**
 * Splits words as getopt_long does: clusters, attached values, `--`, options after operands. Abbreviated long options are
 * unknown on purpose: which one they mean depends on the tool's version.
 */
export function parseOptions(words: readonly WordReading[], table: OptionTable, tool: Tool): ParsedOptions {
  const state = new State(words, table, tool);
  while (state.next < words.length && state.unknown === undefined) {
    const word = words[state.next] as WordReading;
    state.next += 1;
    if (state.ended) state.operands.push(word);
    else if (word.literal === null) state.takeOpen(word);
    else if (word.literal === "--") state.ended = true;
    else if (tool.dashNumber && /^-\d+$/.test(word.literal)) continue;
    else if (word.literal.startsWith("--")) state.takeLong(word.literal, word);
    else if (word.literal.startsWith("-") && word.literal !== "-") state.takeCluster(word.literal, word);
    else state.takeOperand(word);
  }
  const { options, operands, values, paths, loose, unknown } = state;
  return { options, operands, values, paths, loose, ...(unknown === undefined ? {} : { unknown }) };
}

class State {
  next = 0;
  ended = false;
  unknown: string | undefined;
  readonly options: string[] = [];
  readonly operands: WordReading[] = [];
  readonly values: WordReading[] = [];
  readonly paths: WordReading[] = [];
  readonly loose: WordReading[] = [];
  readonly #words: readonly WordReading[];
  readonly #table: OptionTable;
  readonly #tool: Tool;

  constructor(words: readonly WordReading[], table: OptionTable, tool: Tool) {
    this.#words = words;
    this.#table = table;
    this.#tool = tool;
  }

  takeOpen(word: WordReading): void {
    const first = word.mask[0];
    if (first === "-" || first === WILD || (word.tilde && word.mask[1] === WILD)) this.loose.push(word);
    this.takeOperand(word);
  }

  takeOperand(word: WordReading): void {
    this.operands.push(word);
    if (this.#tool.optionsFirst) this.ended = true;
  }

  takeLong(text: string, word: WordReading): void {
    const at = text.indexOf("=");
    const name = at === -1 ? text : text.slice(0, at);
    const kind = this.#table.kinds.get(name);
    if (kind === undefined || (kind === "flag" && at !== -1)) this.unknown = name;
    else {
      this.options.push(name);
      if (kind !== "flag" && kind !== "optional")
        this.#takeValue(at === -1 ? "" : text.slice(at + 1), { kind, word, attached: at !== -1 });
    }
  }

  takeCluster(text: string, word: WordReading): void {
    if (!this.#mayJoin(text)) {
      this.unknown = text;
      return;
    }
    for (let index = 1; index < text.length && this.unknown === undefined; index += 1) {
      const name = `-${text[index]}`;
      const kind = this.#table.kinds.get(name);
      if (kind === undefined) this.unknown = name;
      else {
        this.options.push(name);
        if (kind === "flag") continue;
        const rest = text.slice(index + 1);
        if (kind !== "optional") this.#takeValue(rest, { kind, word, attached: rest !== "" });
        return;
      }
    }
  }

  #mayJoin(text: string): boolean {
    const { clusters } = this.#tool;
    if (clusters === undefined || text.length === 2) return true;
    return clusters === "flags" && [...text.slice(1)].every((letter) => this.#table.kinds.get(`-${letter}`) === "flag");
  }

  #takeValue(text: string, { kind, word, attached }: { kind: OptionKind; word: WordReading; attached: boolean }): void {
    const value = attached
      ? { ...word, literal: text, mask: text, guess: text, tilde: false }
      : this.#words[this.next++];
    if (value === undefined) return;
    // An unquoted expansion may vanish or split: then the words after it shift.
    if (!value.single || value.shape === "other") this.loose.push(value);
    if (kind === "path") this.paths.push(value);
    else if (!attached) this.values.push(value);
    // Not every version takes a value here: what isn't a number may be an operand to that one.
    if (kind === "number" && value.literal !== null && !/^[-+]?\d[\w.]*$/.test(value.literal))
      this.unknown = value.text;
  }
}
