import type { DangerPattern } from "../catalog/dangers/index.ts";
import { type DangerInput, findTexts } from "./find-texts.ts";

/** What the conditions of many patterns ask of the same words: each is worked out once, when it is first asked for. */
export class LookedAt {
  readonly words: readonly string[];
  /** Where conditions look for pieces of text; for all else they look at whole words. */
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

  /** The words that say what is done. */
  get doing(): readonly string[] {
    this.#leading ??= this.#input.subcommand ?? leadingWords(this.words);
    return this.#leading;
  }

  /** Whether the program may take this long option for a longer one: not one that its table knows as it is. */
  mayAbbreviate(name: string): boolean {
    return this.#input.mayAbbreviate(name);
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
    return new LookedAt(this.input.words, findTexts(kind, this.input), this.input);
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
