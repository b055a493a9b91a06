import type { DatabaseSync } from "node:sqlite";
import { RECEIPTS_IN_SPAN, type RecordRow } from "@countersign/receipts";

/** The times between which so many receipts each are, as a database of ours keeps them to find receipts of a time. */
export class StoredSpans {
  readonly #db: DatabaseSync;
  /** A database that no newer hub has opened yet has none. */
  readonly #isThere: boolean;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'receipt_span'").get() !== undefined;
  }

  /** By the number of the last receipt of each, from `first` to `last`; undefined: none are kept. */
  endingAt(first: number, last: number): Map<number, RecordRow["span"]> | undefined {
    if (!this.#isThere) return undefined;
    const sql =
      "SELECT first + ?3 AS seq, from_ms, to_ms FROM receipt_span WHERE first >= ?1 - ?3 AND first <= ?2 - ?3";
    const rows = this.#db.prepare(sql).all(first, last, RECEIPTS_IN_SPAN - 1);
    return new Map(
      rows.map(({ seq, from_ms, to_ms }) => [Number(seq), { fromMs: Number(from_ms), toMs: Number(to_ms) }]),
    );
  }

  /** How many end at none of the first so many receipts. */
  countStrays(last: number): number {
    if (!this.#isThere) return 0;
    const sql = "SELECT count(*) AS stray FROM receipt_span WHERE first < 1 OR first > ?1 - ?2";
    return Number(this.#db.prepare(sql).get(last, RECEIPTS_IN_SPAN - 1)?.stray);
  }
}
