import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { CanonicalError, type ChainHead, type LedgerEntry, link } from "@countersign/receipts";
import { sha256Hex } from "../../sha256.ts";
import { StoreError } from "../store.ts";
import { connectToRead, connectToWrite } from "./connect.ts";
import { toLedgerEntry } from "./decode.ts";
import { schemaVersion } from "./migrate.ts";
import { translateError } from "./translate-error.ts";

/** How many entries are recomputed at start. The whole chain is what the offline verifier is for. */
const TAIL_LENGTH = 1_000;

/**
 * Looks a database over before anything is written to it. Through a read-only connection, because one that can write
 * copies the -wal file into a damaged database when it closes. It proves neither that the older part of the chain is
 * whole nor that no tail was cut off.
 */
export function inspect(path: string): void {
  // Only a writer can roll back the journal that a crash left while the file was switched to WAL.
  const connect = existsSync(`${path}-journal`) ? connectToWrite : connectToRead;
  try {
    const db = connect(path);
    try {
      const version = schemaVersion(db);
      quickCheck(db);
      if (version > 0) checkTail(db);
    } finally {
      db.close();
    }
  } catch (error) {
    throw translateError(error, `The database ${path} can't be used`);
  }
}

/** Finds damaged pages and values that break a column's type or CHECK; not changed text, which the chain finds. */
export function quickCheck(db: DatabaseSync): void {
  const finding = db.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (finding !== "ok") throw damaged(db, String(finding));
}

function checkTail(db: DatabaseSync): void {
  const rows = db.prepare(`SELECT * FROM ledger ORDER BY seq DESC LIMIT ${TAIL_LENGTH}`).all();
  const entries = rows.reverse().map(toLedgerEntry);
  const first = entries[0];
  if (first === undefined) return;
  let head: ChainHead | null = first.prev === null ? null : { seq: first.seq - 1, hash: first.prev };
  for (const entry of entries) {
    const expected = relink(db, head, entry);
    if (entry.seq !== expected.seq || entry.prev !== expected.prev || entry.hash !== expected.hash) {
      throw damaged(db, `ledger entry ${entry.seq} doesn't follow from the one before`);
    }
    head = entry;
  }
}

function relink(db: DatabaseSync, head: ChainHead | null, entry: LedgerEntry): LedgerEntry {
  try {
    return link(head, entry, sha256Hex);
  } catch (error) {
    if (error instanceof CanonicalError) throw damaged(db, `ledger entry ${entry.seq}: ${error.message}`);
    throw error;
  }
}

function damaged(db: DatabaseSync, finding: string): StoreError {
  return new StoreError(
    "CORRUPT",
    `The database ${db.location()} is damaged (${finding}). It was left as it is: move it away and put a backup in its place.`,
  );
}
