import type { DatabaseSync } from "node:sqlite";
import { OUR_FORMAT, RECORD_BATCH, type RecordItem, readReceipt } from "@countersign/receipts";
import type { Source } from "./source.ts";
import { guarded } from "./sqlite-source.ts";
import { unreadable } from "./unreadable.ts";

interface Place {
  readonly table: string;
  readonly column: string;
  /** That orders a chain's receipts, where the table has such columns. */
  readonly order: string;
  /** The table keeps the order in which its rows were written. */
  readonly hasRowid: boolean;
}

/** Where Agent Receipts' own libraries keep them. */
const KNOWN = { table: "receipts", column: "receipt_json" } as const;

/** The table and column that hold receipts as JSON; null where none does. */
export function findReceipts(path: string, db: DatabaseSync): Place | null {
  const tables = guarded(path, () => db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all());
  const names = tables.map(({ name }) => String(name)).filter((name) => !name.startsWith("sqlite_"));
  const candidates = names.flatMap((table) => columnsOf(path, db, table).map((column) => ({ table, column })));
  const known = candidates.find(({ table, column }) => table === KNOWN.table && column === KNOWN.column);
  const found = known ?? candidates.find((place) => holdsReceipts(path, db, place));
  if (found === undefined) return null;
  const order = orderIn(columnsOf(path, db, found.table));
  return { ...found, order, hasRowid: hasRowid(path, db, found.table) };
}

function hasRowid(path: string, db: DatabaseSync, table: string): boolean {
  const sql = "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?";
  return guarded(path, () => db.prepare(sql).get(table))?.wr === 0;
}

function columnsOf(path: string, db: DatabaseSync, table: string): string[] {
  return guarded(path, () => db.prepare("SELECT name FROM pragma_table_info(?)").all(table)).map(({ name }) =>
    String(name),
  );
}

/** By its first value: a table is of one kind. */
function holdsReceipts(path: string, db: DatabaseSync, { table, column }: Pick<Place, "table" | "column">): boolean {
  const [at, from] = [quotedName(column), quotedName(table)];
  const sql = `SELECT CAST(${at} AS BLOB) AS value FROM ${from} WHERE typeof(${at}) IN ('text', 'blob') LIMIT 1`;
  const value = guarded(path, () => db.prepare(sql).get())?.value;
  return value instanceof Uint8Array && readReceipt(value).kind === "receipt";
}

/** Chain by chain, as they claim to be ordered; whether that is true is what is verified. */
function orderIn(columns: readonly string[]): string {
  const wanted = ["chain_id", "sequence"].filter((column) => columns.includes(column));
  return wanted.length === 0 ? "" : `ORDER BY ${wanted.join(", ")}`;
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Another program's database of receipts: chains next to each other, and any ledgers of ours that were put there. */
export class ForeignSource implements Source {
  readonly kind = "agent-receipts";
  readonly isMixed = true;
  readonly path: string;
  readonly what: string;
  readonly notes: readonly string[] = [];
  readonly #db: DatabaseSync;
  readonly #place: Place;
  readonly #total: number;
  #read = 0;

  constructor(path: string, db: DatabaseSync, place: Place) {
    this.path = path;
    this.#db = db;
    this.#place = place;
    const isKnown = place.table === KNOWN.table && place.column === KNOWN.column;
    const where = `receipts in ${place.table}.${place.column}`;
    this.what = isKnown
      ? `Agent Receipts' database, ${where}`
      : `a database that we don't know, ${where} by their look`;
    const sql = `SELECT count(*) AS total FROM ${quotedName(place.table)}`;
    this.#total = Number(guarded(path, () => db.prepare(sql).get())?.total);
  }

  /**
   * Ledgers of ours first, in the order of their rows: a ledger is checked in the order in which it was written, which no column holds. Other
   * chains follow in the order that they claim. What a row is decides only when it is read; the judge looks again.
   */
  *batches(): Generator<readonly RecordItem[]> {
    const { hasRowid, order } = this.#place;
    const text = `CAST(${quotedName(this.#place.column)} AS TEXT)`;
    const format = `json_extract(${text}, '$.issuer.runtime.format')`;
    const isOurs = `CASE WHEN json_valid(${text}) THEN ${format} IS '${OUR_FORMAT}' ELSE 0 END`;
    if (hasRowid) yield* this.#rows(`${isOurs} ORDER BY rowid`);
    else this.#refuseOurs(isOurs);
    yield* this.#rows(`NOT ${isOurs} ${order}`);
  }

  /** In one statement: not every table can be paged through. */
  *#rows(which: string): Generator<readonly RecordItem[]> {
    const { table, column } = this.#place;
    const sql = `SELECT CAST(${quotedName(column)} AS BLOB) AS raw FROM ${quotedName(table)} WHERE ${which}`;
    const rows = guarded(this.path, () => this.#db.prepare(sql).iterate());
    for (;;) {
      const batch: RecordItem[] = [];
      while (batch.length < RECORD_BATCH) {
        const next = guarded(this.path, () => rows.next());
        if (next.done) break;
        batch.push({ raw: (next.value.raw as Uint8Array | null) ?? new Uint8Array(0) });
      }
      if (batch.length === 0) return;
      this.#read += batch.length;
      yield batch;
    }
  }

  #refuseOurs(isOurs: string): void {
    const { table } = this.#place;
    const sql = `SELECT 1 FROM ${quotedName(table)} WHERE ${isOurs} LIMIT 1`;
    if (guarded(this.path, () => this.#db.prepare(sql).get()) === undefined) return;
    const why = "which doesn't keep the order in which they were written";
    throw unreadable(
      `${this.path} holds Countersign's receipts in ${table}, ${why}. Verify an export instead: receipts export.`,
    );
  }

  fraction(): number {
    return this.#total === 0 ? 1 : Math.min(1, this.#read / this.#total);
  }

  close(): void {
    this.#db.close();
  }
}
