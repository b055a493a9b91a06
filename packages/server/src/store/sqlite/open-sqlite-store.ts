import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { didUrlOfKey, readReceipt } from "@countersign/receipts";
import { type LedgerKeys, loadLedgerKeys } from "../../ledger/ledger-keys.ts";
import { type Store, StoreError } from "../store.ts";
import { connectToRead, connectToWrite, ensureFile, makePrivate } from "./connect.ts";
import { inspect } from "./inspect.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { translateError } from "./translate-error.ts";

export { lockHome } from "./lock.ts";
export { readLedger, readReceipts } from "./read-ledger.ts";

/**
 * Opens the database, or makes it where there is none or an empty file; its directory must exist. One that is damaged,
 * another program's or from a newer version is refused before anything is written to it. Hold `lockHome` first.
 */
export async function openSqliteStore(path: string, keysDirectory = join(dirname(path), "keys")): Promise<Store> {
  try {
    if (ensureFile(path) > 0) inspect(path);
    makePrivate(path);
    const db = connectToWrite(path);
    try {
      migrate(db);
      // SQLite opens a file that it may only read without a word; better to hear of it now than at the first proposal.
      db.exec("BEGIN IMMEDIATE; ROLLBACK");
      return new SqliteStore(db, await keysOf(db, keysDirectory));
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw translateError(error, `The database ${path} can't be opened`);
  }
}

/** Of the ledger that stands there; new ones only for a new ledger. */
async function keysOf(db: DatabaseSync, directory: string): Promise<LedgerKeys> {
  const first = db.prepare("SELECT raw FROM receipt WHERE seq = 1").get()?.raw;
  const signedBy = first === undefined ? undefined : signerOf(String(first));
  const keys = await loadLedgerKeys(directory, { mayMake: signedBy === undefined });
  if (keys && (signedBy === undefined || signedBy === didUrlOfKey(keys.sealer.publicKey))) return keys;
  const why = keys ? "isn't the one that signed this ledger" : "is missing";
  throw new StoreError(
    "OTHER_KEY",
    `The key in ${directory} ${why}. Put the right one back: nothing is signed with another.`,
  );
}

function signerOf(raw: string): string {
  const read = readReceipt(Buffer.from(raw));
  if (read.kind === "receipt") return read.receipt.proof.verificationMethod;
  throw new StoreError("CORRUPT", `The ledger's first receipt is unreadable (${read.reason}). Restore a backup.`);
}

/** What can be asked of a store that nobody writes to through this door. */
export type StoreReader = Omit<Store, "commit" | "onAppend" | "backup" | "ledgerKey">;

/** A database that a hub may have open meanwhile; undefined where there's none, or nothing in it yet. */
export async function openStoreToRead(path: string): Promise<StoreReader | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    const db = connectToRead(path);
    try {
      if (schemaVersion(db) > 0) return new SqliteStore(db);
    } catch (error) {
      db.close();
      throw error;
    }
    db.close();
    return undefined;
  } catch (error) {
    throw translateError(error, `The database ${path} can't be read`);
  }
}
