import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Clock, Limits } from "@countersign/core/base";
import type { Store } from "../contract/index.ts";
import { KeyFiles } from "../ledger/index.ts";
import { backUp } from "./back-up.ts";
import { connectToRead, connectToWrite, ensureFile, makePrivate, Statements, translateError } from "./base/index.ts";
import { GroupCommit } from "./commit/index.ts";
import { buildBlocks } from "./history/index.ts";
import { inspect } from "./inspect.ts";
import { keysOnRecord } from "./ledger/index.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { MIGRATIONS } from "./schema.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { Mirror, Outbox, signKept } from "./verified-copy/index.ts";

export { lockHome } from "./lock-home.ts";
export { readLedger, readReceipts } from "./read-ledger.ts";

/**
 * Opens the database, or makes it where there is none or an empty file; its directory must exist. One that is damaged,
 * another program's or from a newer version is refused before anything is written to it. Hold `lockHome` first.
 */
export function openSqliteStore(path: string, keysDirectory = join(dirname(path), "keys")): Promise<Store> {
  return openToWrite(path, async (db) => {
    const sql = new Statements(db);
    const keys = await KeyFiles.open(keysDirectory, keysOnRecord(sql));
    await signKept(sql, new GroupCommit({ db, sql, keys }));
    return new SqliteStore(db, { keys });
  });
}

/** The same where another process, the recorder, writes the ledger: it has none of the keys. */
export function openMirroredStore(
  path: string,
  {
    firstKey,
    clock,
    limits,
  }: {
    readonly firstKey: Uint8Array;
    readonly clock: Clock;
    readonly limits: Pick<Limits, "recorderWaitMs" | "outboxDrafts">;
  },
): Promise<{ readonly store: Store; readonly mirror: Mirror }> {
  return openToWrite(path, (db) => {
    const sql = new Statements(db);
    const commits = new GroupCommit({ db, sql, keys: undefined });
    const outbox = new Outbox({ sql, commits, clock, limits });
    const mirror = new Mirror({ sql, commits, outbox, firstKey });
    return { store: new SqliteStore(db, { mirror, sql, commits }), mirror };
  });
}

async function openToWrite<T>(path: string, make: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
  try {
    if (ensureFile(path) > 0) inspect(path);
    makePrivate(path);
    const db = connectToWrite(path);
    try {
      await backUpBefore(db, path);
      migrate(db);
      catchUp(db);
      // SQLite opens a file that it may only read without a word; better to hear of it now than at the first proposal.
      // A transaction alone doesn't tell: on such a file it is begun for reading.
      db.exec("BEGIN IMMEDIATE; UPDATE setting SET value = value WHERE false; ROLLBACK");
      return await make(db);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw translateError(error, `The database ${path} can't be opened`);
  }
}

/** Keeps a copy of a database that is about to be migrated, in the place of an older one of the same schema. */
async function backUpBefore(db: DatabaseSync, path: string): Promise<void> {
  const version = schemaVersion(db);
  if (version === 0 || version === MIGRATIONS.length) return;
  const target = `${path}.schema-${version}`;
  rmSync(`${target}.new`, { force: true });
  await backUp(db, `${target}.new`);
  renameSync(`${target}.new`, target);
}

/** What ended before there were blocks, or under a version that made none. */
function catchUp(db: DatabaseSync): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    buildBlocks(new Statements(db));
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** What can be asked of a store that nobody writes to through this door. */
export type StoreReader = Omit<Store, "commit" | "rotateKey" | "onAppend" | "onFailure" | "backup">;

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
