import type { LedgerEntry } from "@countersign/receipts";
import { connectToRead } from "./connect.ts";
import { toLedgerEntry } from "./decode.ts";
import { schemaVersion } from "./migrate.ts";
import { translateError } from "./translate-error.ts";

const PAGE = 1_000;

/**
 * Every ledger entry of a database file, for verification without a hub; works while a hub has the file open. Nothing
 * is checked here but that rows are readable (else CORRUPT): give the entries to `verifyChain`.
 *
 * It reads page by page instead of in one long statement, which would keep the hub from truncating its -wal file. The
 * ledger only grows, so pages fit together.
 */
export async function* readLedger(path: string): AsyncGenerator<LedgerEntry, void, undefined> {
  try {
    const db = connectToRead(path);
    try {
      if (schemaVersion(db) === 0) return;
      const page = db.prepare(`SELECT * FROM ledger WHERE seq > ? ORDER BY seq LIMIT ${PAGE}`);
      let after = Number.MIN_SAFE_INTEGER;
      for (let rows = page.all(after); rows.length > 0; rows = page.all(after)) {
        for (const row of rows) {
          const entry = toLedgerEntry(row);
          after = entry.seq;
          yield entry;
        }
      }
    } finally {
      db.close();
    }
  } catch (error) {
    throw translateError(error, `The ledger of ${path} can't be read`);
  }
}
