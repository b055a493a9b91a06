import type { HistoryWish } from "../../contract/index.ts";
import type { Row, Statements } from "../base/index.ts";
import { type Block, beginningsIn, blockOf, Columns } from "./block.ts";
import { lastInBlocks } from "./build-blocks.ts";
import { indexedAfter } from "./indexed-rows.ts";
import type { Looked } from "./match-block.ts";

/** Columns that are kept at hand: those of two million rows are some 50 MB. */
const MAX_COLUMNS = 4_096;
const ALL = { limit: Number.MAX_SAFE_INTEGER, maxText: Number.POSITIVE_INFINITY };

const IN_SPAN = `SELECT first, last FROM history_block
  WHERE first < ? AND last > ? AND from_ms < ? AND to_ms >= ? ORDER BY first DESC`;

/** Blocks as they are looked through. One that is there never changes, so its columns are read once. */
export class Blocks {
  readonly #sql: Statements;
  readonly #columns = new Map<number, Columns>();

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** Those that may have something that is looked for, newest first. What isn't in a block yet is made one in passing. */
  *newestFirst({
    before,
    after,
    fromMs,
    toMs,
  }: Omit<HistoryWish, "limit">): Generator<Looked & { readonly last: number }> {
    const [older, newer] = [before ?? Number.MAX_SAFE_INTEGER, after ?? 0];
    const last = lastInBlocks(this.#sql);
    if (older > last + 1) {
      const { rows } = indexedAfter(this.#sql, Math.max(last, newer), ALL);
      if (rows.length > 0) yield inHand(blockOf(rows));
    }
    const [from, to] = [fromMs ?? Number.MIN_SAFE_INTEGER, toMs ?? Number.MAX_SAFE_INTEGER];
    for (const row of this.#sql.each(IN_SPAN, older, newer, to, from))
      yield this.#kept(Number(row.first), Number(row.last));
  }

  #kept(first: number, last: number): Looked & { readonly last: number } {
    return {
      first,
      last,
      columns: () => this.#columnsOf(first, last),
      texts: () => {
        const text = String(this.#read("texts", first)?.texts);
        const begins = () => beginningsIn({ begins: this.#read("begins", first)?.begins as Uint8Array });
        return { text, begins };
      },
    };
  }

  #columnsOf(first: number, last: number): Columns {
    const known = this.#columns.get(first);
    if (known !== undefined) return known;
    const row = this.#read("facets, codes, trigrams", first);
    const [codes, trigrams] = [row?.codes as Uint8Array, row?.trigrams as Uint8Array];
    const columns = new Columns({ first, last, facets: String(row?.facets), codes, trigrams });
    if (this.#columns.size >= MAX_COLUMNS) this.#columns.clear();
    this.#columns.set(first, columns);
    return columns;
  }

  #read(columns: "texts" | "begins" | "facets, codes, trigrams", first: number): Row | undefined {
    return this.#sql.one(`SELECT ${columns} FROM history_block WHERE first = ?`, first);
  }
}

function inHand(block: Block): Looked & { readonly last: number } {
  return {
    first: block.first,
    last: block.last,
    columns: () => new Columns(block),
    texts: () => ({ text: block.texts, begins: () => beginningsIn(block) }),
  };
}
