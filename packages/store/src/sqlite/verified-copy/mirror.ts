import { canonicalize, didOfKey, type Json } from "@countersign/receipts";
import {
  type LedgerDraft,
  type LedgerEntry,
  type LedgerHead,
  type LedgerRow,
  StoreError,
  withoutNulls,
} from "../../ledger/index.ts";
import { ms, placeRow, type Row, type Statements } from "../base/index.ts";
import type { GroupCommit } from "../commit/index.ts";
import { beginningOf, entryIn, invalid, keysOnRecord, type LedgerTransaction } from "../ledger/index.ts";
import { toLedgerEntry } from "../rows/index.ts";
import { type Checked, checkMirrored, type Standing } from "./check-mirrored.ts";
import type { Outbox } from "./outbox.ts";

/** The copy of a ledger that another process writes. Nothing goes in that doesn't follow from what is there. */
export class Mirror {
  readonly outbox: Outbox;
  readonly #sql: Statements;
  readonly #commits: GroupCommit;
  /** Has the recorder change its key: the receipt's number, once it is here. */
  askToRotate: ((body: LedgerDraft["body"]) => Promise<number>) | undefined;
  /**
   * Receipts under keys of the outbox that it doesn't have: what is put there goes only when its receipt comes, so this store was put back to
   * before that. One that begins with nothing has nothing to remember.
   */
  forgotten = 0;
  readonly #isNew: boolean;
  #standing: Standing;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({
    sql,
    commits,
    outbox,
    firstKey,
  }: {
    readonly sql: Statements;
    readonly commits: GroupCommit;
    readonly outbox: Outbox /** The ledger's first key: the signer must have it, or one that follows from it. */;
    readonly firstKey: Uint8Array;
  }) {
    this.outbox = outbox;
    this.#sql = sql;
    this.#commits = commits;
    this.#standing = standingOf(sql, firstKey);
    this.#isNew = this.#standing.seq === 0;
  }

  /** The key in force. */
  get publicKey(): Uint8Array {
    return this.#standing.key.publicKey;
  }

  head(): LedgerHead | null {
    const row = this.#sql.one("SELECT seq, hash FROM receipt ORDER BY seq DESC LIMIT 1");
    return row === undefined ? null : { seq: Number(row.seq), hash: String(row.hash) };
  }

  async rotate(body: LedgerDraft["body"]): Promise<LedgerEntry> {
    if (!this.askToRotate) throw new StoreError("UNWRITABLE", "Only the recorder changes its key.");
    const seq = await this.askToRotate(body);
    return toLedgerEntry(this.#sql.one("SELECT * FROM receipt WHERE seq = ?", seq) as Row);
  }

  /** One call after the other. All of them or none, durable when it resolves; rejects with RECORDER_INVALID. */
  take(rows: readonly LedgerRow[]): Promise<void> {
    const turn = this.#turn.then(() => this.#take(rows));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #take(rows: readonly LedgerRow[]): Promise<void> {
    const { checked, standing } = await checkMirrored(rows, { sql: this.#sql, standing: this.#standing });
    const confirmed = await this.#commits.do({
      apply: ({ ledger }) => checked.flatMap((one) => this.#keep(one, ledger) ?? []),
      keeps: () => true,
    });
    this.#standing = standing;
    if (!this.#isNew) this.forgotten += rows.filter(isTold).length - confirmed.length;
    this.outbox.confirm(confirmed);
  }

  #keep(
    { row, sealed, checkpoint }: Checked,
    ledger: LedgerTransaction,
  ): { readonly key: string; readonly entry: LedgerEntry } | undefined {
    if (checkpoint) {
      const { size, root } = ledger.treeHead();
      if (checkpoint.said.size !== size || !Buffer.from(root).equals(checkpoint.said.root))
        throw invalid(row, "carries a checkpoint of another tree");
      const { note } = checkpoint;
      this.#sql.run("INSERT INTO checkpoint (size, note, at_ms) VALUES (?, ?, ?)", size, note, ms(row.atMs));
    }
    ledger.insertSealed([placeRow(row, sealed.chainId, sealed.next)], [sealed.raw]);
    const draft = isTold(row) ? this.outbox.take(row.idempotencyKey) : undefined;
    if (!isTold(row) || draft === undefined) return undefined;
    const entry = entryIn(row, sealed.next.hash);
    if (!saysTheSame(entry, draft)) throw invalid(row, "says something else than the hub told the recorder");
    return { key: row.idempotencyKey, entry };
  }
}

/** By a hub: the recorder has no keys for what it says itself. */
function isTold(row: LedgerRow): row is LedgerRow & { readonly idempotencyKey: string } {
  return row.emitter === null && row.idempotencyKey !== null;
}

function saysTheSame({ seq: _, hash: __, ...entry }: LedgerEntry, draft: LedgerDraft): boolean {
  const told = { ...draft, body: withoutNulls(draft.body) };
  return canonicalize(entry as unknown as Json) === canonicalize(told as unknown as Json);
}

function standingOf(sql: Statements, firstKey: Uint8Array): Standing {
  const issuer = didOfKey(firstKey);
  const origin = beginningOf(sql);
  const key = keysOnRecord(sql);
  if (!origin || !key) return { seq: 0, root: undefined, issuer, key: { publicKey: firstKey, nextKey: null } };
  const seq = Number(sql.one("SELECT max(seq) AS seq FROM receipt")?.seq);
  if (origin.issuer !== issuer) {
    const why = `The ledger in this home was begun by ${origin.issuer}, and the recorder's by ${issuer}`;
    throw new StoreError("OTHER_KEY", `${why}. Move it to the recorder's home with its keys, or begin in a new home.`);
  }
  return { seq, root: origin.root, issuer, key: { publicKey: key.publicKey, nextKey: key.nextFingerprint } };
}
