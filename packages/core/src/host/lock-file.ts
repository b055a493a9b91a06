import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export interface Lock {
  release(): void;
}

/** A file can't be used as a lock. The cause is what the system or SQLite said. */
export class LockError extends Error {
  override readonly name = "LockError";
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

/**
 * Returns undefined if another process holds it. The lock is the kernel's (POSIX, taken by SQLite on a file that stays empty): it ends with
 * the process, so that nothing stale is left, and children don't inherit it. Nobody may open the file by other means in this process: closing
 * it would drop the lock. Throws LockError.
 */
export function tryLock(path: string): Lock | undefined {
  try {
    makeFile(path);
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
  } catch (cause) {
    if (isBusy(cause)) return undefined;
    throw new LockError(`${path} can't be locked: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** Extended codes hold the primary one in their low byte. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) return false;
  const code = error.errcode & 0xff;
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}
