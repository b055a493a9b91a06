import type { HistoryWish } from "../../contract/index.ts";
import { type Columns, type Facet, fold } from "./block.ts";
import { mayHave, trigramBits } from "./trigrams.ts";

/** What is looked at of a block, each when it is needed. */
export interface Looked {
  readonly first: number;
  columns(): Columns;
  texts(): { readonly text: string; begins(): Uint32Array };
}

interface FacetWish {
  readonly facet: Facet;
  has(value: string): boolean;
}

/** A wish, made ready once for all blocks. */
export class Matcher {
  readonly #words: readonly string[];
  readonly #trigrams: readonly Uint16Array[];
  readonly #facets: readonly FacetWish[];
  readonly #bounds: Readonly<Record<"fromMs" | "toMs" | "before" | "after", number>>;

  constructor({ words = [], ...wish }: HistoryWish) {
    // The longest first: it is likely to be the rarest.
    this.#words = words.map(fold).sort((a, b) => b.length - a.length);
    this.#trigrams = this.#words.map(trigramBits);
    this.#facets = facetsOf(wish);
    this.#bounds = {
      fromMs: wish.fromMs ?? Number.NEGATIVE_INFINITY,
      toMs: wish.toMs ?? Number.POSITIVE_INFINITY,
      before: wish.before ?? Number.POSITIVE_INFINITY,
      after: wish.after ?? 0,
    };
  }

  /** Places of those in the block that are looked for, newest first. */
  placesIn({ first, ...block }: Looked): number[] {
    const columns = block.columns();
    if (!this.#trigrams.every((bits) => mayHave(columns.trigrams, bits))) return [];
    const facets: { readonly codes: Uint16Array; readonly wanted: Uint8Array }[] = [];
    for (const { facet, has } of this.#facets) {
      const wanted = Uint8Array.from(columns.valuesOf(facet), (value) => Number(has(value)));
      if (!wanted.includes(1)) return [];
      if (wanted.includes(0)) facets.push({ codes: columns.codesOf(facet), wanted });
    }
    let rows = this.#withinBounds(columns, first);
    for (const { codes, wanted } of facets) rows = rows.filter((at) => wanted[codes[at] as number] === 1);
    if (rows.length > 0 && this.#words.length > 0) {
      const texts = this.#textsIn(block.texts());
      rows = texts === null ? [] : rows.filter((at) => texts[columns.texts[at] as number] === 1);
    }
    return rows.map((at) => first + at);
  }

  /** Newest first. */
  #withinBounds({ count, times }: Columns, first: number): number[] {
    const { fromMs, toMs, before, after } = this.#bounds;
    const rows: number[] = [];
    for (let at = Math.min(count, before - first) - 1; at >= Math.max(0, after - first + 1); at -= 1) {
      const endedAtMs = times[at] as number;
      if (endedAtMs >= fromMs && endedAtMs < toMs) rows.push(at);
    }
    return rows;
  }

  /** Which of its texts have all the words; null: none. */
  #textsIn({ text: all, begins }: ReturnType<Looked["texts"]>): Uint8Array | null {
    const [rarest = "", ...others] = this.#words;
    // Each for itself first: most blocks lack one of them.
    if (!this.#words.every((word) => all.includes(word))) return null;
    const beginnings = begins();
    const found = new Uint8Array(beginnings.length);
    let text = 0;
    for (let at = all.indexOf(rarest); at !== -1; ) {
      while ((beginnings[text + 1] as number) <= at) text += 1;
      const next = beginnings[text + 1] as number;
      // What goes over the end of a text isn't in it: nor is the separator, which is one character before the next.
      const isWithin = at + rarest.length < next;
      const own = () => all.slice(beginnings[text], next - 1);
      if (isWithin && others.every((word) => own().includes(word))) found[text] = 1;
      at = all.indexOf(rarest, next);
    }
    return found;
  }
}

function facetsOf(wish: Omit<HistoryWish, "words">): FacetWish[] {
  const oneOf = (facet: Facet, wanted: readonly string[] | undefined): FacetWish[] =>
    wanted === undefined ? [] : [{ facet, has: (value) => wanted.includes(value) }];
  const { directory } = wish;
  const below = directory?.endsWith("/") ? directory : `${directory}/`;
  const inside: FacetWish = {
    facet: "directory",
    has: (value) => value === directory || value.startsWith(below),
  };
  return [
    ...oneOf("agent", wish.agents),
    ...oneOf("session", wish.sessions),
    ...oneOf("by", wish.by),
    ...oneOf("risk", wish.risks),
    ...oneOf("result", wish.results),
    ...(directory === undefined ? [] : [inside]),
  ];
}
