import type { OutcomeWithoutOutput, RunEnded, RunView } from "@countersign/protocol/proposals";

/** A run, and how it ended once it has. */
export interface RunRow {
  readonly run: RunView;
  readonly end?: { readonly outcome: OutcomeWithoutOutput | undefined; readonly atMs: number };
}

/** Of those that have ended. */
const MOST_ENDED = 100;

/**
 * The rows after the hub has told what runs. What has ended keeps its row and its place, so that nothing moves from under a finger; of these the
 * oldest make room.
 */
export function updateRows(rows: readonly RunRow[], runs: readonly RunView[], nowMs: number): readonly RunRow[] {
  const live = new Set(runs.map(({ key }) => key));
  const known = new Set(rows.map(({ run }) => run.key));
  const kept = rows.map((row) => {
    // That it is gone is known; how it ended comes with its own news, if it does.
    return row.end || live.has(row.run.key) ? row : { ...row, end: { outcome: undefined, atMs: nowMs } };
  });
  const fresh = runs.filter(({ key }) => !known.has(key)).map((run): RunRow => ({ run }));
  const tooMany = kept.filter(({ end }) => end).length - MOST_ENDED;
  let left = Math.max(0, tooMany);
  return [...kept.filter(({ end }) => end === undefined || left-- <= 0), ...fresh];
}

/** The rows after the hub has told how one ended. */
export function endRow(rows: readonly RunRow[], { key, outcome }: RunEnded, nowMs: number): readonly RunRow[] {
  return rows.map((row) => (row.run.key === key ? { ...row, end: { outcome, atMs: nowMs } } : row));
}
