import type { OutcomeWithoutOutput, RunEnded, RunView } from "@countersign/protocol/proposals";

/** A run, and its end. */
export interface RunRow {
  readonly run: RunView;
  readonly end?: { readonly outcome: OutcomeWithoutOutput | undefined; readonly atMs: number };
}

/** The most ended runs kept. */
const MOST_ENDED = 100;

/**
 * Returns the rows after the hub has listed the runs. Ended runs keep their rows, so that nothing moves under a finger; the oldest are
 * dropped.
 */
export function updateRows(rows: readonly RunRow[], runs: readonly RunView[], nowMs: number): readonly RunRow[] {
  const live = new Set(runs.map(({ key }) => key));
  const known = new Set(rows.map(({ run }) => run.key));
  const kept = rows.map((row) => {
    // Known to be gone; how it ended may follow in an event of its own.
    return row.end || live.has(row.run.key) ? row : { ...row, end: { outcome: undefined, atMs: nowMs } };
  });
  const fresh = runs.filter(({ key }) => !known.has(key)).map((run): RunRow => ({ run }));
  const tooMany = kept.filter(({ end }) => end).length - MOST_ENDED;
  let left = Math.max(0, tooMany);
  return [...kept.filter(({ end }) => end === undefined || left-- <= 0), ...fresh];
}

/** Returns the rows after the hub has reported the end of a run. */
export function endRow(rows: readonly RunRow[], { key, outcome }: RunEnded, nowMs: number): readonly RunRow[] {
  return rows.map((row) => (row.run.key === key ? { ...row, end: { outcome, atMs: nowMs } } : row));
}
