import type { Statements } from "../base/index.ts";

/** So many receipts make a span, which says between which times all of them are. */
export const RECEIPTS_IN_SPAN = 1_024;

const ADD_SPAN = `INSERT INTO receipt_span (first, from_ms, to_ms)
  SELECT ?1, min(at_ms), max(at_ms) FROM receipt WHERE seq >= ?1 AND seq < ?1 + ${RECEIPTS_IN_SPAN}`;

/** Adds the spans that these receipts complete, in the caller's transaction. */
export function addSpans(sql: Statements, { before, last }: { readonly before: number; readonly last: number }): void {
  const complete = Math.floor(last / RECEIPTS_IN_SPAN);
  for (let span = Math.floor(before / RECEIPTS_IN_SPAN); span < complete; span += 1)
    sql.run(ADD_SPAN, span * RECEIPTS_IN_SPAN + 1);
}

/** What they begin with: spans of the receipts that are there already. */
export const SPANS = `
  CREATE TABLE receipt_span (
    first INTEGER NOT NULL PRIMARY KEY,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL
  ) STRICT;
  INSERT INTO receipt_span
    SELECT min(seq), min(at_ms), max(at_ms) FROM receipt
    GROUP BY (seq - 1) / ${RECEIPTS_IN_SPAN} HAVING count(*) = ${RECEIPTS_IN_SPAN};
`;
