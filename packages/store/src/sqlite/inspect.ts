import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { examineReceipt, type ReceiptFacts } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { StoreError } from "../ledger/index.ts";
import { connectToRead, connectToWrite, translateError } from "./base/index.ts";
import { schemaVersion } from "./migrate.ts";
import { SIGNED_SINCE } from "./schema.ts";

/** How many receipts are looked at when it starts, their signatures apart. The whole ledger is what the offline verifier is for. */
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
      if (version >= SIGNED_SINCE) checkTail(db);
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

/** Each is the receipt that its row says, and follows the one before it in its chain, where that is among them. */
function checkTail(db: DatabaseSync): void {
  const rows = db.prepare(`SELECT * FROM receipt ORDER BY seq DESC LIMIT ${TAIL_LENGTH}`).all().reverse();
  const heads = new Map<string, ReceiptFacts>();
  for (const row of rows) {
    const examined = examineReceipt(Buffer.from(String(row.raw)), nodeCrypto());
    if (examined.kind === "malformed") throw damaged(db, `receipt ${row.seq}: ${examined.reason} ${examined.at}`);
    const { facts } = examined;
    const before = heads.get(facts.chainId);
    const isItself = facts.hash === row.hash && facts.chainId === row.chain_id && facts.sequence === row.chain_seq;
    const follows = !before || (facts.previous === before.hash && facts.sequence === before.sequence + 1);
    if (!isItself || !follows) throw damaged(db, `receipt ${row.seq} doesn't follow from the one before`);
    heads.set(facts.chainId, facts);
  }
}

function damaged(db: DatabaseSync, finding: string): StoreError {
  return new StoreError(
    "CORRUPT",
    `The database ${db.location()} is damaged (${finding}). It was left as it is: move it away and put a backup in its place.`,
  );
}
