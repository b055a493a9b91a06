import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** IN_USE: another process keeps its record there. End it, or name another directory. */
class DirectoryError extends Error {
  readonly code = "IN_USE";
}

export interface DirectoryLock {
  release(): void;
}

/** What SQLite calls SQLITE_BUSY. */
const BUSY = 5;

/**
 * Makes this process the only one that writes to a directory, or throws DirectoryError. The lock is the kernel's (POSIX, taken by SQLite on a file
 * that stays empty): who dies in any way lets go of it, and a number of a process that is another's now, as in a sandbox that was started again,
 * keeps nobody out. Nobody may open the file by other means in this process: closing it would drop the lock.
 */
export function lockDirectory(dir: string, whose: "proxy" | "relay" | "observer"): DirectoryLock {
  const path = join(dir, "lock");
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600));
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    db.close();
    if ((cause as { readonly errcode?: unknown }).errcode !== BUSY) throw cause;
    throw new DirectoryError(`another ${whose} keeps its record in ${dir}`, { cause });
  }
  return {
    release() {
      if (db.isOpen) db.close();
    },
  };
}
