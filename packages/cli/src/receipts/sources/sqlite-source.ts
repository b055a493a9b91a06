import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { RECORD_BATCH, type RecordItem, type RecordRow } from "@countersign/receipts";
import type { Source } from "./source.ts";
import { StoredNodes } from "./stored-nodes.ts";
import { StoredSpans } from "./stored-spans.ts";
import { unreadable } from "./unreadable.ts";

const BUSY_TIMEOUT_MS = 2_000;

/** Read-only: a hub may have it open, and evidence isn't to be changed by looking at it. */
export function openDatabase(path: string): DatabaseSync {
  return guarded(path, () => {
    const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS, defensive: true });
    db.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;");
    return db;
  });
}

/** Whatever SQLite can't do is a sentence, not a bug of ours. */
export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const isSqlites = cause instanceof Error && ("errcode" in cause || isTooLarge(cause));
    if (!isSqlites) throw cause;
    throw unreadable(`${path} can't be read as a database (${cause.message}).`, cause);
  }
}

/** A whole number past 2^53: no column of ours holds one. */
function isTooLarge(cause: Error): boolean {
  return "code" in cause && cause.code === "ERR_OUT_OF_RANGE";
}

export function hasTable(path: string, db: DatabaseSync, name: string): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
  return guarded(path, () => db.prepare(sql).get(name)) !== undefined;
}

/** A database of ours, without any of the code that writes it. */
export class SqliteSource implements Source {
  readonly kind = "countersign";
  readonly what = "Countersign's database";
  readonly path: string;
  readonly notes: readonly string[];
  readonly strayRows: number;
  readonly #db: DatabaseSync;
  readonly #nodes: StoredNodes;
  readonly #spans: StoredSpans;
  readonly #last: number;
  #read = 0;

  constructor(path: string, db: DatabaseSync) {
    this.path = path;
    this.#db = db;
    this.#nodes = guarded(path, () => new StoredNodes(db));
    this.#spans = guarded(path, () => new StoredSpans(db));
    // At one moment, so that nothing is missing or left over while a hub goes on writing.
    const { last, notes, strayRows } = guarded(path, () => {
      db.exec("BEGIN");
      try {
        return snapshotOf(db, this.#nodes, this.#spans);
      } finally {
        db.exec("COMMIT");
      }
    });
    this.notes = notes;
    this.strayRows = strayRows;
    this.#last = last;
  }

  /** Page by page: one long statement would keep the hub from truncating its -wal file. */
  *batches(): Generator<readonly RecordItem[]> {
    const page = this.#db.prepare(
      `SELECT seq, CAST(raw AS BLOB) AS raw, hash, chain_id, chain_seq, proposal_key, type, session_id, at_ms,
        ${this.#frameColumns()} FROM receipt WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${RECORD_BATCH}`,
    );
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const rows = guarded(this.path, () => page.all(after, this.#last));
      const last = rows.at(-1);
      if (last === undefined) return;
      const first = Number(rows[0]?.seq);
      after = Number(last.seq);
      this.#read = after;
      const nodes = guarded(this.path, () => this.#nodes.completedBy(first, after));
      const checkpoints = guarded(this.path, () => this.#checkpointsBefore(first, after));
      const spans = guarded(this.path, () => this.#spans.endingAt(first, after));
      yield rows.map((row) => itemOf(row, { nodes, checkpoints, spans }));
    }
  }

  /** A database that no newer hub has opened yet may lack them. */
  #frameColumns(): string {
    const sql = "SELECT 1 FROM pragma_table_info('receipt') WHERE name = 'emitter'";
    const isThere = guarded(this.path, () => this.#db.prepare(sql).get()) !== undefined;
    return isThere ? "emitter, idempotency_key" : "NULL AS emitter, NULL AS idempotency_key";
  }

  /** By the number of the receipt that carries each. */
  #checkpointsBefore(first: number, last: number): Map<number, RecordRow["checkpoint"]> {
    const sql = "SELECT size, note, at_ms FROM checkpoint WHERE size >= ? AND size < ?";
    const rows = this.#db.prepare(sql).all(first - 1, last);
    return new Map(
      rows.map(({ size, note, at_ms }) => [Number(size) + 1, { note: String(note), atMs: Number(at_ms) }]),
    );
  }

  fraction(): number {
    return this.#last === 0 ? 1 : this.#read / this.#last;
  }

  close(): void {
    this.#db.close();
  }
}

function snapshotOf(db: DatabaseSync, nodes: StoredNodes, spans: StoredSpans) {
  const last = Number(db.prepare("SELECT coalesce(max(seq), 0) AS last FROM receipt").get()?.last);
  const notes = db.prepare("SELECT note FROM checkpoint ORDER BY size").all();
  const { stray } = db.prepare("SELECT count(*) AS stray FROM checkpoint WHERE size < 0 OR size >= ?").get(last) ?? {};
  const strayRows = Number(stray) + nodes.countBeyond(last) + spans.countStrays(last);
  return { last, notes: notes.map(({ note }) => String(note)), strayRows };
}

/** By the number of the receipt that each belongs to. */
interface Beside {
  readonly nodes: ReadonlyMap<number, RecordRow["nodes"]>;
  readonly checkpoints: ReadonlyMap<number, RecordRow["checkpoint"]>;
  readonly spans: ReadonlyMap<number, RecordRow["span"]> | undefined;
}

function itemOf(row: Readonly<Record<string, SQLOutputValue>>, { nodes, checkpoints, spans }: Beside): RecordItem {
  const seq = Number(row.seq);
  return {
    raw: row.raw as Uint8Array,
    seq,
    row: {
      hash: String(row.hash),
      chainId: String(row.chain_id),
      chainSeq: Number(row.chain_seq),
      proposalKey: textOrNull(row.proposal_key),
      type: String(row.type),
      sessionId: textOrNull(row.session_id),
      atMs: Number(row.at_ms),
      emitter: textOrNull(row.emitter),
      idempotencyKey: textOrNull(row.idempotency_key),
      nodes: nodes.get(seq) ?? [],
      checkpoint: checkpoints.get(seq) ?? null,
      span: spans && (spans.get(seq) ?? null),
    },
  };
}

function textOrNull(value: SQLOutputValue | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
