import type { Statements } from "../base/index.ts";
import { type Block, blockOf } from "./block.ts";
import { indexedAfter } from "./indexed-rows.ts";

export const ROWS_IN_BLOCK = 512;
/** Of its distinct texts: one with longer commands has fewer rows. */
const MAX_TEXT = 1024 * 1024;

/** Makes blocks of all that isn't in one, but for the newest, of which there are too few. In the caller's transaction. */
export function buildBlocks(sql: Statements): void {
  for (;;) {
    const rows = indexedAfter(sql, lastInBlocks(sql), { limit: ROWS_IN_BLOCK, maxText: MAX_TEXT });
    if (!rows.isFull) return;
    insert(sql, blockOf(rows.rows));
  }
}

/** The newest place that a block has; 0: there are none. */
export function lastInBlocks(sql: Statements): number {
  return Number(sql.one("SELECT last FROM history_block ORDER BY first DESC LIMIT 1")?.last ?? 0);
}

function insert(sql: Statements, { first, last, fromMs, toMs, facets, codes, trigrams, begins, texts }: Block): void {
  sql.run(
    `INSERT INTO history_block (first, last, from_ms, to_ms, facets, codes, trigrams, begins, texts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[first, last, fromMs, toMs, facets, codes, trigrams, begins, texts],
  );
}
