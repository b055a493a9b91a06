import type { DatabaseSync } from "node:sqlite";
import type { LedgerDraft, LedgerEntry } from "../../ledger/entries.ts";
import type { KeysInForce, LedgerKeys } from "../../ledger/ledger-keys.ts";
import { type Commit, StoreError, type Write } from "../store.ts";
import { LedgerTurn } from "./append-receipts.ts";
import { applyWrite } from "./apply.ts";
import type { Statements } from "./statements.ts";
import { translateError } from "./translate-error.ts";

/** Callers wait for each other no longer than this many commits, so that the event loop gets its turn. */
const MAX_BATCH = 1_000;
/** More than this means that somebody produces faster than the disk takes: say so instead of growing. */
const MAX_QUEUED = 100_000;

/** What the jobs of one transaction share. */
export interface Progress {
  readonly sql: Statements;
  readonly ledger: LedgerTurn;
}

/** Something to be done inside a transaction that others share. */
interface Job<T> {
  apply(progress: Progress): T;
  /** False: nothing of it is kept. */
  keeps(result: T): boolean;
}

/** A job without its type. */
interface Waiting {
  run(progress: Progress): Ran;
  reject(error: StoreError): void;
}

interface Ran {
  readonly kept: boolean;
  /** Tells the caller; only after the batch is on disk. */
  tell(): void;
}

interface Writer {
  readonly db: DatabaseSync;
  readonly sql: Statements;
  /** None: another process signs. */
  readonly keys: KeysInForce | undefined;
}

/** What came of one job of a batch. */
type Settled = Ran | { readonly error: StoreError };

/**
 * Puts the commits that arrive in one turn of the event loop into one transaction, because one fsync costs more than
 * hundreds of commits. Each of several has its own savepoint: a refused or impossible one takes nothing of the others with it.
 */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #sql: Statements;
  readonly #keys: KeysInForce | undefined;
  readonly #maxQueued: number;
  readonly #listeners: (() => void)[] = [];
  #waiting: Waiting[] = [];
  #scheduled = false;

  constructor({ db, sql, keys }: Writer, maxQueued = MAX_QUEUED) {
    this.#db = db;
    this.#sql = sql;
    this.#keys = keys;
    this.#maxQueued = maxQueued;
  }

  /** `keep` takes the drafts of what another process is to sign. */
  add(writes: readonly Write[], keep?: (draft: LedgerDraft) => void): Promise<Commit> {
    return this.do({ apply: (progress) => applyAll({ ...progress, keep }, writes), keeps: ({ ok }) => ok });
  }

  do<T>({ apply, keeps }: Job<T>): Promise<T> {
    if (this.#waiting.length >= this.#maxQueued) {
      return Promise.reject(new StoreError("BUSY", `${this.#maxQueued} commits wait already`));
    }
    return new Promise((resolve, reject) => {
      const run = (progress: Progress) => {
        const result = apply(progress);
        return { kept: keeps(result), tell: () => resolve(result) };
      };
      this.#waiting.push({ run, reject });
      this.#schedule();
    });
  }

  onAppend(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Commits everything that waits, now. */
  drain(): void {
    while (this.#waiting.length > 0) this.#flush();
  }

  /** setImmediate and not a microtask: it comes after all of a turn's sockets were read, so their commits share. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#waiting.length === 0) return;
      this.#flush();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    const batch = this.#waiting.slice(0, MAX_BATCH);
    this.#waiting = this.#waiting.slice(MAX_BATCH);
    const { settled, grown, keys } = commitBatch({ db: this.#db, sql: this.#sql, keys: this.#keys }, batch);
    if (this.#keys && keys) this.#keys.current = keys;
    for (const [index, waiting] of batch.entries()) {
      const result = settled[index];
      if (result === undefined) throw new Error("a commit of the batch has no result");
      if ("error" in result) waiting.reject(result.error);
      else result.tell();
    }
    if (grown) for (const listener of this.#listeners) listener();
  }
}

/**
 * If the transaction fails, all of the batch fail with it, refusals too: they may have been refused because of a commit
 * that was then undone. One doubt remains: where the disk fails in fsync itself, a power cut straight after can bring
 * back what was reported as failed. That is the safe side: on record and not run.
 */
function commitBatch(
  { db, sql, keys }: Writer,
  batch: readonly Waiting[],
): { readonly settled: readonly Settled[]; readonly grown: boolean; readonly keys: LedgerKeys | undefined } {
  try {
    sql.run("BEGIN IMMEDIATE");
    const ledger = new LedgerTurn(sql, keys?.current);
    const before = ledger.mark();
    // Alone, the transaction itself is what is undone: inside of a savepoint SQLite copies every page before it writes to it.
    const commit = batch.length === 1 ? runOne : commitOne;
    const settled = batch.map((waiting) => commit(db, { sql, ledger }, waiting));
    if (!settled.some(isKept)) {
      sql.run("ROLLBACK");
      return { settled, grown: false, keys: keys?.current };
    }
    ledger.finish();
    sql.run("COMMIT");
    return { settled, grown: ledger.mark().seq > before.seq, keys: ledger.keys };
  } catch (error) {
    const failure = translateError(rollBack(db, error), "The commit failed");
    return { settled: batch.map(() => ({ error: failure })), grown: false, keys: keys?.current };
  }
}

function commitOne(db: DatabaseSync, progress: Progress, waiting: Waiting): Settled {
  const { sql, ledger } = progress;
  const before = ledger.mark();
  sql.run("SAVEPOINT one");
  const result = runOne(db, progress, waiting);
  if (!isKept(result)) {
    sql.run("ROLLBACK TO one");
    ledger.restore(before);
  }
  sql.run("RELEASE one");
  return result;
}

function isKept(result: Settled): boolean {
  return "kept" in result && result.kept;
}

function runOne(db: DatabaseSync, progress: Progress, waiting: Waiting): Settled {
  try {
    return waiting.run(progress);
  } catch (error) {
    // After some failures (full disk, I/O) SQLite has rolled back the whole transaction by itself.
    if (!db.isTransaction) throw error;
    return { error: translateError(error, "The commit failed") };
  }
}

function applyAll(progress: Omit<Parameters<typeof applyWrite>[0], "entries">, writes: readonly Write[]): Commit {
  const entries: LedgerEntry[] = [];
  const shared = { ...progress, entries };
  for (const [index, write] of writes.entries()) {
    const refusal = applyWrite(shared, write);
    if (refusal !== null) return { ok: false, refusal, index };
  }
  return { ok: true, entries };
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
