import { DatabaseSync } from "node:sqlite";
import { RECORD_BATCH, type RecordItem } from "@countersign/receipts";
import type { Source } from "./source.ts";
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
    if (!(cause instanceof Error && "errcode" in cause)) throw cause;
    throw unreadable(`${path} can't be read as a database (${cause.message}).`, cause);
  }
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
  readonly #db: DatabaseSync;
  /** Read after the notes, so that no checkpoint can be of more than is looked at while a hub goes on writing. */
  readonly #last: number;
  #read = 0;

  constructor(path: string, db: DatabaseSync) {
    this.path = path;
    this.#db = db;
    this.notes = guarded(path, () => db.prepare("SELECT note FROM checkpoint ORDER BY size").all()).map(({ note }) =>
      String(note),
    );
    const { last } = guarded(path, () => db.prepare("SELECT max(seq) AS last FROM receipt").get()) ?? {};
    this.#last = Number(last ?? 0);
  }

  /** Page by page: one long statement would keep the hub from truncating its -wal file. */
  *batches(): Generator<readonly RecordItem[]> {
    const page = this.#db.prepare(
      `SELECT seq, CAST(raw AS BLOB) AS raw, hash, chain_id, chain_seq, proposal_key, type FROM receipt
        WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${RECORD_BATCH}`,
    );
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const rows = guarded(this.path, () => page.all(after, this.#last));
      const last = rows.at(-1);
      if (last === undefined) return;
      after = Number(last.seq);
      this.#read = after;
      yield rows.map((row) => ({
        raw: row.raw as Uint8Array,
        seq: Number(row.seq),
        row: {
          hash: String(row.hash),
          chainId: String(row.chain_id),
          chainSeq: Number(row.chain_seq),
          proposalKey: row.proposal_key === null ? null : String(row.proposal_key),
          type: String(row.type),
        },
      }));
    }
  }

  fraction(): number {
    return this.#last === 0 ? 1 : this.#read / this.#last;
  }

  close(): void {
    this.#db.close();
  }
}
