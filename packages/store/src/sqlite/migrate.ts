import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../ledger/index.ts";
import { MIGRATIONS } from "./schema.ts";

/** "CSGN": tells our files from other programs' databases. */
const APPLICATION_ID = 0x4353474e;

/** The schema's version, after checking that the file is ours and not from the future. 0: nothing in it yet. */
export function schemaVersion(db: DatabaseSync, known = MIGRATIONS.length): number {
  const version = pragma(db, "user_version");
  const ours = pragma(db, "application_id") === APPLICATION_ID;
  if (!ours && (version !== 0 || hasTables(db))) {
    throw new StoreError(
      "CORRUPT",
      "This is an SQLite database of another program. Give Countersign a file of its own.",
    );
  }
  if (version > known) {
    throw new StoreError(
      "TOO_NEW",
      `${db.location()} has schema ${version} and this version of Countersign knows ${known}. Upgrade Countersign.`,
    );
  }
  return version;
}

/** Applies what is missing, in order, each step whole or not at all; a failed one leaves those before it in place. */
export function migrate(db: DatabaseSync, migrations: readonly string[] = MIGRATIONS): void {
  const version = schemaVersion(db, migrations.length);
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    db.exec("BEGIN IMMEDIATE");
    try {
      db.exec(sql);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${index + 1}; COMMIT`);
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }
}

function pragma(db: DatabaseSync, name: "user_version" | "application_id"): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function hasTables(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}
