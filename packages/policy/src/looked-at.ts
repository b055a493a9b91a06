import { type DangerInput, findTexts } from "./find-texts.ts";
import type { DangerPattern } from "./tables/danger.ts";

/** What the conditions of many patterns ask of the same words: each is worked out once, when it is first asked for. */
export class LookedAt {
  readonly words: readonly string[];
  /** Where conditions look for pieces of text; for all else they look at whole words. */
  readonly texts: readonly string[];
  readonly #subcommand: readonly string[] | undefined;
  #lowered: readonly string[] | undefined;
  #leading: readonly string[] | undefined;
  #options: Options | undefined;

  constructor(words: readonly string[], texts: readonly string[], subcommand: readonly string[] | undefined) {
    this.words = words;
    this.texts = texts;
    this.#subcommand = subcommand;
  }

  get loweredTexts(): readonly string[] {
    this.#lowered ??= this.texts.map((text) => text.toLowerCase());
    return this.#lowered;
  }

  /** The words that say what is done. */
  get doing(): readonly string[] {
    this.#leading ??= this.#subcommand ?? leadingWords(this.words);
    return this.#leading;
  }

  get options(): Options {
    this.#options ??= findOptions(this.words);
    return this.#options;
  }
}

/** The words of one command, by where a pattern looks for texts. */
export class LookedAtInput {
  readonly input: DangerInput;
  #words: LookedAt | undefined;
  #code: LookedAt | undefined;
  #statements: LookedAt | undefined;

  constructor(input: DangerInput) {
    this.input = input;
  }

  in(kind: DangerPattern["text"]): LookedAt {
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

  #lookIn(kind: DangerPattern["text"]): LookedAt {
    const { words, subcommand } = this.input;
    return new LookedAt(words, findTexts(kind, this.input), subcommand);
  }
}

/** The options among some words, up to `--`, without their dashes. */
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

/** The words that aren't options, up to the first option after two of them: from there on they are values. */
function leadingWords(words: readonly string[]): string[] {
  const leading: string[] = [];
  for (const word of words) {
    if (!word.startsWith("-")) leading.push(word);
    else if (leading.length >= 2) break;
  }
  return leading.slice(0, 6);
}
