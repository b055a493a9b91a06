import type { DatabaseSync } from "node:sqlite";
import type { Commit, Write } from "../../contract/index.ts";
import { type KeysInForce, type LedgerDraft, type LedgerEntry, StoreError } from "../../ledger/index.ts";
import type { Statements } from "../base/index.ts";
import { applyWrite } from "./apply.ts";
import { commitBatch, type Kept, type Progress, type Writer } from "./commit-batch.ts";

/** Callers wait for each other no longer than this many commits, so that the event loop gets its turn. */
const MAX_BATCH = 1_000;
/** More than this means that somebody produces faster than the disk takes: say so instead of growing. */
const MAX_QUEUED = 100_000;

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

interface Ran extends Kept {
  /** Tells the caller; only after the batch is on disk. */
  tell(): void;
}

/**
 * Puts the commits that arrive in one turn of the event loop into one transaction, because one fsync costs more than
 * hundreds of commits. Each of several has its own savepoint: a refused or impossible one takes nothing of the others with it.
 */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #sql: Statements;
  readonly #keys: KeysInForce | undefined;
  readonly #edge: Writer["edge"] = {};
  readonly #maxQueued: number;
  readonly #listeners: (() => void)[] = [];
  readonly #failureListeners: ((error: StoreError) => void)[] = [];
  #waiting: Waiting[] = [];
  #scheduled = false;
  /** How often another connection is lent the right to write. */
  #asides = 0;

  constructor({ db, sql, keys }: Omit<Writer, "edge">, maxQueued = MAX_QUEUED) {
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

  onFailure(listener: (error: StoreError) => void): void {
    this.#failureListeners.push(listener);
  }

  /**
   * Lets something be written through another connection, after all that waits; what comes meanwhile waits for it. Several at a time are that connection's to
   * put in order; whoever asks for one more while `isWaitedFor` keeps others out for longer.
   */
  async aside<T>(write: () => Promise<T>): Promise<T> {
    if (this.#asides === 0) this.drain();
    this.#asides += 1;
    try {
      const written = await write();
      this.#tellAppended();
      return written;
    } finally {
      this.#asides -= 1;
      this.#schedule();
    }
  }

  get isWaitedFor(): boolean {
    return this.#waiting.length > 0;
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
      if (this.#waiting.length === 0 || this.#asides > 0) return;
      this.#flush();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    const batch = this.#waiting.slice(0, MAX_BATCH);
    this.#waiting = this.#waiting.slice(MAX_BATCH);
    const { settled, grown, keys } = commitBatch(
      { db: this.#db, sql: this.#sql, keys: this.#keys, edge: this.#edge },
      batch,
    );
    if (this.#keys && keys) this.#keys.current = keys;
    for (const [index, waiting] of batch.entries()) {
      const result = settled[index];
      if (result === undefined) throw new Error("a commit of the batch has no result");
      if ("error" in result) {
        waiting.reject(result.error);
        for (const listener of this.#failureListeners) listener(result.error);
      } else result.tell();
    }
    if (grown) this.#tellAppended();
  }

  #tellAppended(): void {
    for (const listener of this.#listeners) listener();
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
