import type { DatabaseSync } from "node:sqlite";
import type { KeysInForce, LedgerKeys, StoreError } from "../../ledger/index.ts";
import { type Statements, translateError } from "../base/index.ts";
import { LedgerTransaction, type TreeEdge } from "../ledger/index.ts";

/** What the jobs of one transaction share. */
export interface Progress {
  readonly sql: Statements;
  readonly ledger: LedgerTransaction;
}

export interface Writer {
  readonly db: DatabaseSync;
  readonly sql: Statements;
  /** None: it was signed elsewhere. */
  readonly keys: KeysInForce | undefined;
  /** As the last transaction left it. */
  readonly edge: TreeEdge;
}

export interface Kept {
  /** False: nothing of it is kept. */
  readonly kept: boolean;
}

interface BatchJob<Result extends Kept> {
  run(progress: Progress): Result;
}

/** What came of one job of a batch. */
type Settled<Result extends Kept> = Result | { readonly error: StoreError };

interface Committed<Result extends Kept> {
  readonly settled: readonly Settled<Result>[];
  readonly grown: boolean;
  readonly keys: LedgerKeys | undefined;
}

/**
 * If the transaction fails, all of the batch fail with it, refusals too: they may have been refused because of a commit
 * that was then undone. One doubt remains: where the disk fails in fsync itself, a power cut straight after can bring
 * back what was reported as failed. That is the safe side: on record and not run.
 */
export function commitBatch<Result extends Kept>(
  { db, sql, keys, edge }: Writer,
  batch: readonly BatchJob<Result>[],
): Committed<Result> {
  try {
    sql.run("BEGIN IMMEDIATE");
    const ledger = new LedgerTransaction(sql, keys?.current, edge);
    const before = ledger.mark();
    // Alone, the transaction itself is what is undone: inside of a savepoint SQLite copies every page before it writes to it.
    const commit = batch.length === 1 ? runOne<Result> : commitOne<Result>;
    const settled = batch.map((job) => commit(db, { sql, ledger }, job));
    if (!settled.some(isKept)) {
      sql.run("ROLLBACK");
      return { settled, grown: false, keys: keys?.current };
    }
    ledger.finish();
    sql.run("COMMIT");
    ledger.rememberEdge();
    return { settled, grown: ledger.mark().seq > before.seq, keys: ledger.keys };
  } catch (error) {
    const failure = translateError(rollBack(db, error), "The commit failed");
    return { settled: batch.map(() => ({ error: failure })), grown: false, keys: keys?.current };
  }
}

function commitOne<Result extends Kept>(db: DatabaseSync, progress: Progress, job: BatchJob<Result>): Settled<Result> {
  const { sql, ledger } = progress;
  const before = ledger.mark();
  sql.run("SAVEPOINT one");
  const result = runOne(db, progress, job);
  if (!isKept(result)) {
    sql.run("ROLLBACK TO one");
    ledger.restore(before);
  }
  sql.run("RELEASE one");
  return result;
}

function isKept(result: Settled<Kept>): boolean {
  return "kept" in result && result.kept;
}

function runOne<Result extends Kept>(db: DatabaseSync, progress: Progress, job: BatchJob<Result>): Settled<Result> {
  try {
    return job.run(progress);
  } catch (error) {
    // After some failures (full disk, I/O) SQLite has rolled back the whole transaction by itself.
    if (!db.isTransaction) throw error;
    return { error: translateError(error, "The commit failed") };
  }
}

/** Returns the error to report: a rollback that fails too is joined to the one that made it necessary. */
function rollBack(db: DatabaseSync, error: unknown): unknown {
  if (!db.isTransaction) return error;
  try {
    db.exec("ROLLBACK");
    return error;
  } catch (second) {
    return new AggregateError([error, second], "the transaction could not be rolled back");
  }
}
