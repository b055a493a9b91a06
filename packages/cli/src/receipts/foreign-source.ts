import type { DatabaseSync } from "node:sqlite";
import { RECORD_BATCH, type RecordItem, readReceipt } from "@countersign/receipts";
import type { Source } from "./source.ts";
import { guarded } from "./sqlite-source.ts";

interface Place {
  readonly table: string;
  readonly column: string;
  /** That orders a chain's receipts, where the table has such columns. */
  readonly order: string;
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
  return found === undefined ? null : { ...found, order: orderIn(columnsOf(path, db, found.table)) };
}

function columnsOf(path: string, db: DatabaseSync, table: string): string[] {
  return guarded(path, () => db.prepare("SELECT name FROM pragma_table_info(?)").all(table)).map(({ name }) =>
    String(name),
  );
}

/** By its first value: a table is of one kind. */
function holdsReceipts(path: string, db: DatabaseSync, { table, column }: Omit<Place, "order">): boolean {
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

/** Another program's database of receipts: chains beside each other, under no root. */
export class ForeignSource implements Source {
  readonly kind = "agent-receipts";
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

  /** In one statement: not every table can be paged through. */
  *batches(): Generator<readonly RecordItem[]> {
    const { table, column, order } = this.#place;
    const sql = `SELECT CAST(${quotedName(column)} AS BLOB) AS raw FROM ${quotedName(table)} ${order}`;
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

  fraction(): number {
    return this.#total === 0 ? 1 : Math.min(1, this.#read / this.#total);
  }

  close(): void {
    this.#db.close();
  }
}
