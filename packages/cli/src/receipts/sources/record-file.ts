import { resolve } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { lineOf, type ReceiptLine, readReceipt } from "@countersign/receipts";
import { type GlobalOptions, homeDirOf, homeFiles } from "../../base/index.ts";
import { type Filter, matches } from "./filter.ts";
import { guarded, hasTable, openDatabase } from "./sqlite-source.ts";
import { StoredNodes } from "./stored-nodes.ts";
import { unreadable } from "./unreadable.ts";

export interface RecordOptions extends GlobalOptions {
  readonly file?: string;
}

/** A receipt with its raw text. */
export interface Recorded {
  readonly seq: number;
  readonly hash: string;
  readonly raw: string;
  readonly view: ReceiptLine;
}

const PAGE = 500;

/** A database of ours, for looking things up, with or without a running hub. It verifies nothing: see `verify`. */
export class RecordFile {
  readonly path: string;
  readonly #db: DatabaseSync;
  #nodes: StoredNodes | undefined;

  private constructor(path: string, db: DatabaseSync) {
    this.path = path;
    this.#db = db;
  }

  static open(options: RecordOptions): RecordFile {
    const path = resolve(options.file ?? homeFiles(homeDirOf(options)).database);
    const db = openDatabase(path);
    if (hasTable(path, db, "receipt")) return new RecordFile(path, db);
    db.close();
    throw unreadable(`${path} has no ledger of Countersign's.`);
  }

  close(): void {
    this.#db.close();
  }

  lastSeq(): number {
    return Number(this.#row("SELECT max(seq) AS last FROM receipt")?.last ?? 0);
  }

  /** In their order, after one and up to another. */
  *after(seq: number, filter: Filter, upTo = this.lastSeq()): Generator<Recorded> {
    const page = this.#page(filter, "seq > ? AND seq <= ?", "ASC");
    for (let from = seq; ; ) {
      const rows = guarded(this.path, () => page.all(from, upTo, ...bounds(filter)));
      const last = rows.at(-1);
      if (last === undefined) return;
      from = Number(last.seq);
      yield* rows.map(toRecorded).filter(({ view }) => matches(view, filter));
    }
  }

  /** The newest so many that match, the oldest of them first. */
  newest(count: number, filter: Filter): Recorded[] {
    const page = this.#page(filter, "seq < ?", "DESC");
    const found: Recorded[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; found.length < count; ) {
      const rows = guarded(this.path, () => page.all(before, ...bounds(filter)));
      const last = rows.at(-1);
      if (last === undefined) break;
      before = Number(last.seq);
      found.push(...rows.map(toRecorded).filter(({ view }) => matches(view, filter)));
    }
    return found.slice(0, count).reverse();
  }

  /** A node of the tree, as it is stored. */
  treeNode(level: number, index: number): Uint8Array {
    this.#nodes ??= guarded(this.path, () => new StoredNodes(this.#db));
    const nodes = this.#nodes;
    const hash = guarded(this.path, () => nodes.at(level, index));
    if (hash instanceof Uint8Array) return hash;
    throw unreadable(`${this.path} lacks a node of its tree (level ${level}, ${index}).`);
  }

  /** The newest that covers no more than so many receipts. */
  newestCheckpoint(upTo: number): { readonly size: number; readonly note: string } | null {
    const row = this.#row("SELECT size, note FROM checkpoint WHERE size <= ? ORDER BY size DESC LIMIT 1", upTo);
    return row === undefined ? null : { size: Number(row.size), note: String(row.note) };
  }

  #row(sql: string, ...values: readonly SQLInputValue[]) {
    return guarded(this.path, () => this.#db.prepare(sql).get(...values));
  }

  /** Columns find what may match; what a receipt itself says decides. A minute apart, for times that were rounded. */
  #page(filter: Filter, where: string, order: "ASC" | "DESC") {
    const conditions = [
      where,
      ...(filter.fromMs === undefined ? [] : ["at_ms >= ? - 60000"]),
      ...(filter.toMs === undefined ? [] : ["at_ms < ? + 60000"]),
      ...(filter.session === undefined ? [] : ["session_id = ?"]),
      ...(filter.chain === undefined ? [] : ["chain_id = ?"]),
    ];
    const sql = `SELECT seq, hash, raw FROM receipt WHERE ${conditions.join(" AND ")} ORDER BY seq ${order} LIMIT ${PAGE}`;
    return guarded(this.path, () => this.#db.prepare(sql));
  }
}

function bounds({ fromMs, toMs, session, chain }: Filter): SQLInputValue[] {
  return [fromMs, toMs, session, chain].filter((value) => value !== undefined);
}

function toRecorded(row: Record<string, unknown>): Recorded {
  const [seq, hash, raw] = [Number(row.seq), String(row.hash), String(row.raw)];
  const read = readReceipt(Buffer.from(raw));
  if (read.kind === "malformed") {
    throw unreadable(`Receipt ${seq} is no receipt (${read.reason}). See: countersign receipts verify`);
  }
  return { seq, hash, raw, view: lineOf(read.receipt, { seq, hash }) };
}
