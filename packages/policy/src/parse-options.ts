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
  const state = new State(words, table);
  while (state.next < words.length && state.unknown === undefined) {
    const word = words[state.next] as WordReading;
    state.next += 1;
    if (state.ended) state.operands.push(word);
    else if (word.literal === null) state.takeOpen(word);
    else if (word.literal === "--") state.ended = true;
    else if (tool.dashNumber && /^-\d+$/.test(word.literal)) continue;
    else if (word.literal.startsWith("--")) state.takeLong(word.literal, word);
    else if (word.literal.startsWith("-") && word.literal !== "-") state.takeCluster(word.literal, word);
    else state.takeOperand(word, tool);
  }
  const { options, operands, paths, loose, unknown } = state;
  return { options, operands, paths, loose, ...(unknown === undefined ? {} : { unknown }) };
}

class State {
  next = 0;
  ended = false;
  unknown: string | undefined;
  readonly options: string[] = [];
  readonly operands: WordReading[] = [];
  readonly paths: WordReading[] = [];
  readonly loose: WordReading[] = [];
  readonly #words: readonly WordReading[];
  readonly #table: OptionTable;

  constructor(words: readonly WordReading[], table: OptionTable) {
    this.#words = words;
    this.#table = table;
  }

  takeOpen(word: WordReading): void {
    const first = word.mask[0];
    if (first === "-" || first === WILD || (word.tilde && word.mask[1] === WILD)) this.loose.push(word);
    this.operands.push(word);
  }

  takeOperand(word: WordReading, tool: Tool): void {
    this.operands.push(word);
    if (tool.optionsFirst) this.ended = true;
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

  #takeValue(text: string, { kind, word, attached }: { kind: OptionKind; word: WordReading; attached: boolean }): void {
    const value = attached
      ? { ...word, literal: text, mask: text, guess: text, tilde: false }
      : this.#words[this.next++];
    if (value === undefined) return;
    // An unquoted expansion may vanish or split: then the words after it shift.
    if (!value.single || value.shape === "other") this.loose.push(value);
    if (kind === "path") this.paths.push(value);
    // Not every version takes a value here: what isn't a number may be an operand to that one.
    if (kind === "number" && value.literal !== null && !/^[-+]?\d[\w.]*$/.test(value.literal))
      this.unknown = value.text;
  }
}
