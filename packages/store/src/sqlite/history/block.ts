import { strict as assert } from "node:assert";
import { endianness } from "node:os";
import { trigramsOf } from "./trigrams.ts";

/**
 * A few hundred ended proposals, column by column: what they are filtered by, and their commands as one text. Looking through a block is comparing
 * small numbers and one search in a long text, which is what makes a million of them quick without an index that every write would have
 * to pay for.
 *
 * `codes` is little-endian: for each row the time it ended (float64); then for each facet, in the order of FACETS, for each row the number of its value in
 * `values` (uint16); then for each row the number of its text (uint16). `begins`: where each text begins in `texts`, and where the last ends (uint32).
 */
const FACETS = ["agent", "session", "directory", "by", "risk", "result"] as const;
export type Facet = (typeof FACETS)[number];

/** What is known of one row by which it is found. */
export interface Indexed extends Readonly<Record<Facet, string>> {
  readonly place: number;
  readonly endedAtMs: number;
  /** Folded, see `fold`. */
  readonly text: string;
}

/** As it is kept. */
export interface Block {
  /** Of its rows, which follow each other. */
  readonly first: number;
  readonly last: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** JSON: the distinct values of each facet. */
  readonly facets: string;
  readonly codes: Uint8Array;
  /** See `trigramsOf`. */
  readonly trigrams: Uint8Array;
  readonly begins: Uint8Array;
  readonly texts: string;
}

const SEPARATOR = "\n";

/** So that letters of any case are the same. It is for comparing only: what is shown is never folded. */
export function fold(text: string): string {
  return text.toLowerCase();
}

/** Their places follow each other. */
export function blockOf(rows: readonly Indexed[]): Block {
  const texts = new Numbered();
  const times = Float64Array.from(rows, ({ endedAtMs }) => endedAtMs);
  const values = FACETS.map(() => new Numbered());
  const codes = FACETS.map((facet, index) => rows.map((row) => values[index]?.numberOf(row[facet]) ?? 0));
  const ofTexts = rows.map(({ text }) => texts.numberOf(text));
  const joined = texts.list.join(SEPARATOR);
  return {
    first: rows[0]?.place ?? 0,
    last: rows.at(-1)?.place ?? 0,
    fromMs: Math.min(...times),
    toMs: Math.max(...times),
    facets: JSON.stringify(values.map((one) => one.list)),
    codes: Buffer.concat([bytesOf(times), bytesOf(Uint16Array.from([...codes.flat(), ...ofTexts]))]),
    trigrams: trigramsOf(joined),
    begins: bytesOf(beginnings(texts.list)),
    texts: joined,
  };
}

/** A block's columns, as they are compared. */
export class Columns {
  readonly count: number;
  readonly times: Float64Array;
  readonly trigrams: Uint8Array;
  /** For each row the number of its text. */
  readonly texts: Uint16Array;
  readonly #codes: Uint16Array;
  readonly #values: readonly (readonly string[])[];

  constructor({ first, last, facets, codes, trigrams }: Omit<Block, "fromMs" | "toMs" | "begins" | "texts">) {
    this.trigrams = trigrams;
    const buffer = alignedBuffer(codes);
    this.count = last - first + 1;
    this.#values = JSON.parse(facets) as string[][];
    this.times = new Float64Array(buffer, 0, this.count);
    this.#codes = new Uint16Array(buffer, 8 * this.count);
    assert.equal(this.#codes.length, (FACETS.length + 1) * this.count, "a block of the history has other columns");
    this.texts = this.#codes.subarray(FACETS.length * this.count);
  }

  valuesOf(facet: Facet): readonly string[] {
    return this.#values[FACETS.indexOf(facet)] ?? [];
  }

  /** For each row the number of its value of that facet. */
  codesOf(facet: Facet): Uint16Array {
    const from = FACETS.indexOf(facet) * this.count;
    return this.#codes.subarray(from, from + this.count);
  }
}

/** Where each text begins, and where the last ends, the separator with it. */
export function beginningsIn({ begins }: Pick<Block, "begins">): Uint32Array {
  return new Uint32Array(alignedBuffer(begins));
}

/** Views of numbers have the machine's own order. Every machine that Node runs on is little-endian, but for one. */
function alignedBuffer(bytes: Uint8Array): ArrayBuffer {
  assert.equal(endianness(), "LE", "the history is kept little-endian");
  return new Uint8Array(bytes).buffer;
}

function bytesOf(numbers: Float64Array | Uint32Array | Uint16Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function beginnings(texts: readonly string[]): Uint32Array {
  let at = 0;
  const begins = texts.map((text) => {
    const begin = at;
    at += text.length + SEPARATOR.length;
    return begin;
  });
  return Uint32Array.from([...begins, at]);
}

/** Distinct values, each with its number. */
class Numbered {
  readonly #numbers = new Map<string, number>();

  numberOf(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get list(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}
