import type { LedgerEntry, StoredReceipt } from "../ledger/index.ts";
import { connectToRead, type Row, translateError } from "./base/index.ts";
import { schemaVersion } from "./migrate.ts";
import { toLedgerEntry, toStoredReceipt } from "./rows/index.ts";
import { SIGNED_SINCE } from "./schema.ts";

const PAGE = 1_000;

/** Every entry that a hub made in a database file, without a hub or beside one; rejects with CORRUPT at one that can't be read. */
export function readLedger(path: string): AsyncGenerator<LedgerEntry, void, undefined> {
  return readPages(path, toLedgerEntry, "emitter IS NULL AND");
}

/** Every receipt as it was signed, for verification: nothing is checked here, see `checkLedger`. */
export function readReceipts(path: string): AsyncGenerator<StoredReceipt, void, undefined> {
  return readPages(path, toStoredReceipt);
}

/**
 * Page by page instead of in one long statement, which would keep the hub from truncating its -wal file. The ledger only
 * grows, so pages fit together.
 */
async function* readPages<T extends { readonly seq: number }>(
  path: string,
  decode: (row: Row) => T,
  only: "emitter IS NULL AND" | "" = "",
): AsyncGenerator<T, void, undefined> {
  try {
    const db = connectToRead(path);
    try {
      if (schemaVersion(db) < SIGNED_SINCE) return;
      const page = db.prepare(`SELECT * FROM receipt WHERE ${only} seq > ? ORDER BY seq LIMIT ${PAGE}`);
      let after = Number.MIN_SAFE_INTEGER;
      for (let rows = page.all(after); rows.length > 0; rows = page.all(after)) {
        for (const row of rows) {
          const found = decode(row);
          after = found.seq;
          yield found;
        }
      }
    } finally {
      db.close();
    }
  } catch (error) {
    throw translateError(error, `The ledger of ${path} can't be read`);
  }
}
