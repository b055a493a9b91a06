import type { Clock, Limits } from "@countersign/core/base";
import { createReceipt, type Json, MAX_RECEIPT_BYTES } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { uuidv7 } from "uuidv7";
import type { Commit, Write } from "../../contract/index.ts";
import { type LedgerDraft, type LedgerEntry, mustBeConfirmed, receiptOf, StoreError } from "../../ledger/index.ts";
import { asInvalid, json, ms, type Statements, text } from "../base/index.ts";
import type { GroupCommit } from "../commit/index.ts";

const crypto = nodeCrypto();

/** What the recorder adds to a draft (its anchor, its proof) is far less. */
const ROOM_FOR_PLACE = 64 * 1024;

export interface KeptDraft {
  readonly key: string;
  readonly draft: LedgerDraft;
}

interface Waiter {
  /** Whether something must not happen before it is confirmed. */
  readonly isFirm: boolean;
  readonly left: Set<string>;
  done(): void;
}

/**
 * Commits of a store whose ledger another process signs: what they put on record is kept with them, in the same transaction, until its receipt
 * has come back. None is lost, and by its key none is signed twice.
 */
export class Outbox {
  readonly #sql: Statements;
  readonly #commits: GroupCommit;
  readonly #clock: Clock;
  readonly #limits: Pick<Limits, "recorderWaitMs" | "outboxDrafts">;
  readonly #waiters = new Map<string, Waiter>();
  readonly #confirmed = new Map<string, LedgerEntry>();
  readonly #listeners: (() => void)[] = [];
  #size: number;
  #problem: StoreError | undefined = new StoreError("RECORDER_DOWN", "The recorder hasn't been reached yet.");

  constructor({
    sql,
    commits,
    clock,
    limits,
  }: {
    readonly sql: Statements;
    readonly commits: GroupCommit;
    readonly clock: Clock;
    readonly limits: Pick<Limits, "recorderWaitMs" | "outboxDrafts">;
  }) {
    this.#sql = sql;
    this.#commits = commits;
    this.#clock = clock;
    this.#limits = limits;
    this.#size = Number(sql.one("SELECT count(*) AS size FROM outbox")?.size);
  }

  /** Why nothing can be confirmed now. */
  get problem(): StoreError | undefined {
    return this.#problem;
  }

  /** What must be confirmed still waits for as long as it may: the recorder may be back in time. */
  set problem(problem: StoreError | undefined) {
    this.#problem = problem;
    if (problem) for (const waiter of new Set(this.#waiters.values())) if (!waiter.isFirm) waiter.done();
  }

  get size(): number {
    return this.#size;
  }

  async commit(writes: readonly Write[]): Promise<Commit> {
    const drafts = writes.flatMap((write) => (write.op === "append" ? [write.draft] : []));
    if (drafts.length === 0) return await this.#commits.add(writes);
    const isFirm = drafts.some(mustBeConfirmed);
    if (isFirm && this.problem) throw new StoreError(this.problem.code, this.problem.message, { cause: this.problem });
    this.#refuseTooMany(drafts.length);
    const keys: string[] = [];
    const commit = await this.#commits.add(writes, (draft) => keys.push(this.#put(draft)));
    if (!commit.ok) return commit;
    this.#size += keys.length;
    const wait = this.problem && !isFirm ? undefined : this.#wait(keys, { isFirm });
    for (const listener of this.#listeners) listener();
    const entries = await wait;
    if (entries || !isFirm) return { ok: true, entries: entries ?? [] };
    const waited = `The recorder didn't confirm within ${this.#limits.recorderWaitMs} ms`;
    throw new StoreError("UNCONFIRMED", `${waited}; it is kept, and delivered when that is possible.`);
  }

  /** The oldest. */
  oldest(limit: number): readonly KeptDraft[] {
    return oldestIn(this.#sql, limit);
  }

  onPut(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Inside the transaction in which its receipt is kept: it need not be delivered again. Undefined: it isn't one of ours. */
  take(key: string): LedgerDraft | undefined {
    const row = this.#sql.one("SELECT draft FROM outbox WHERE key = ?", key);
    if (row === undefined) return undefined;
    this.#sql.run("DELETE FROM outbox WHERE key = ?", key);
    return JSON.parse(String(row.draft)) as LedgerDraft;
  }

  /** After that transaction. */
  confirm(confirmed: readonly { readonly key: string; readonly entry: LedgerEntry }[]): void {
    this.#size -= confirmed.length;
    for (const { key, entry } of confirmed) {
      const waiter = this.#waiters.get(key);
      if (waiter === undefined) continue;
      this.#confirmed.set(key, entry);
      waiter.left.delete(key);
      if (waiter.left.size === 0) waiter.done();
    }
  }

  /** Nobody waits any longer. */
  close(): void {
    for (const waiter of new Set(this.#waiters.values())) waiter.done();
  }

  #refuseTooMany(more: number): void {
    const { outboxDrafts } = this.#limits;
    if (this.#size + more <= outboxDrafts) return;
    throw new StoreError("BUSY", `${this.#size} drafts wait for the recorder already (limit: outboxDrafts)`);
  }

  #put(draft: LedgerDraft): string {
    refuseUnfit(draft);
    const key = uuidv7();
    this.#sql.run(
      "INSERT INTO outbox (key, draft) VALUES (?, ?)",
      key,
      json({ ...draft, body: draft.body } as unknown as Json),
    );
    return key;
  }

  /** In the order of the keys; undefined: not all of them in time. */
  #wait(keys: readonly string[], { isFirm }: Pick<Waiter, "isFirm">): Promise<readonly LedgerEntry[] | undefined> {
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel();
        const entries = keys.flatMap((key) => this.#confirmed.get(key) ?? []);
        for (const key of keys) {
          this.#waiters.delete(key);
          this.#confirmed.delete(key);
        }
        resolve(entries.length === keys.length ? entries : undefined);
      };
      const timer = this.#clock.after(this.#limits.recorderWaitMs, done);
      const waiter = { left: new Set(keys), isFirm, done };
      for (const key of keys) this.#waiters.set(key, waiter);
    });
  }
}

function oldestIn(sql: Statements, limit: number): KeptDraft[] {
  return sql
    .all("SELECT key, draft FROM outbox ORDER BY place LIMIT ?", limit)
    .map(({ key, draft }) => ({ key: String(key), draft: JSON.parse(String(draft)) as LedgerDraft }));
}

/** At a time, of those that are left from another life. */
const KEPT_PAGE = 1_000;

/**
 * A store that signs itself has nothing in its outbox, unless it was another's mirror before: a recorder's database that was lost is replaced by
 * its hub's, and a ledger can come back to the hub's home. By their keys, none of them is signed twice.
 */
export async function signKept(sql: Statements, commits: GroupCommit): Promise<void> {
  for (let kept = oldestIn(sql, KEPT_PAGE); kept.length > 0; kept = oldestIn(sql, KEPT_PAGE)) {
    const page = kept;
    await commits.do({
      apply: ({ ledger }) => {
        for (const { key, draft } of page) {
          ledger.append(draft, key);
          sql.run("DELETE FROM outbox WHERE key = ?", key);
        }
      },
      keeps: () => true,
    });
  }
}

/** What can't become a receipt is refused now: delivered, it would stand in everyone's way. */
function refuseUnfit(draft: LedgerDraft): void {
  if (draft.sessionId !== null) text(draft.sessionId);
  if (draft.proposalKey !== null) text(draft.proposalKey);
  ms(draft.atMs);
  try {
    const { message } = createReceipt(receiptOf(draft, { issuer: "did:key:z" }), { chainId: "x", head: null }, crypto);
    if (message.length + ROOM_FOR_PLACE > MAX_RECEIPT_BYTES)
      throw new StoreError("INVALID", `a receipt of ${message.length} bytes is too long`);
  } catch (cause) {
    throw asInvalid(cause);
  }
}
