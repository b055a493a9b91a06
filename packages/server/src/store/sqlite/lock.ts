import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../store.ts";
import { ensureFile } from "./connect.ts";
import { translateError } from "./translate-error.ts";

export const LOCK_FILE = "hub.lock";

/**
 * Makes this process the only hub of a home, or throws LOCKED. Nobody may open `hub.lock` by other means in this process: closing it would
 * drop the lock.
 */
export function lockHome(home: string): Lock {
  const lock = tryLock(join(home, LOCK_FILE), `The home ${home} can't be locked`);
  if (lock === undefined) throw new StoreError("LOCKED", `Another Countersign hub is running on ${home}.`);
  return lock;
}

export interface Lock {
  release(): void;
}

/**
 * Undefined where another process has it. The lock is the kernel's (POSIX, taken by SQLite on a file that stays empty), so a process that
 * dies in any way lets go of it and nothing stale is left to clean up. Children don't inherit it. `failed` says what can't be done where the
 * file can't be used.
 */
export function tryLock(path: string, failed: string): Lock | undefined {
  try {
    ensureFile(path);
    const db = new DatabaseSync(path, { timeout: 0 });
    try {
      db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    } catch (error) {
      db.close();
      throw error;
    }
    return {
      release() {
        if (db.isOpen) db.close();
      },
    };
  } catch (error) {
    const failure = translateError(error, failed);
    if (failure.code === "BUSY") return undefined;
    throw failure;
  }
}
