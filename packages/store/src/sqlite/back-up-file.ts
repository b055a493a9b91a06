import { backUp } from "./back-up.ts";
import { connectToRead, translateError } from "./base/index.ts";
import { schemaVersion } from "./migrate.ts";

/**
 * Copies the database at `path` to `target`, which must not exist yet, without a hub or beside one in another process.
 *
 * SQLite starts a copy over whenever another process commits in between, so beside a busy hub it might never end. An open
 * read transaction keeps this connection on one snapshot, which no commit changes.
 */
export async function backUpFile(path: string, target: string): Promise<void> {
  try {
    const db = connectToRead(path);
    try {
      schemaVersion(db);
      db.exec("BEGIN");
      // BEGIN alone takes no snapshot; the first read does.
      db.prepare("SELECT count(*) FROM sqlite_schema").get();
      await backUp(db, target);
    } finally {
      db.close();
    }
  } catch (error) {
    throw translateError(error, `The database ${path} can't be backed up`);
  }
}
