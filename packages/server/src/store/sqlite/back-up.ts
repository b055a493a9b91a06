import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { StoreError } from "../store.ts";
import { quickCheck } from "./inspect.ts";
import { translateError } from "./translate-error.ts";

/** Copies a database that is in use, in another thread, to one file that was checked and is on disk. */
export async function backUp(db: DatabaseSync, target: string): Promise<void> {
  try {
    closeSync(openSync(target, "wx", 0o600));
  } catch (error) {
    throw translateError(error, `The backup ${target} can't be made`);
  }
  try {
    await backup(db, target);
    settle(target);
    sync(target);
    sync(dirname(target));
  } catch (error) {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${target}${suffix}`, { force: true });
    throw error instanceof StoreError && error.code === "CORRUPT"
      ? new StoreError("CORRUPT", `The backup was discarded: ${error.message}`, { cause: error })
      : translateError(error, `The backup ${target} failed`);
  }
}

/** Leaves WAL mode, so that the copy is one file that can be read from read-only media, then checks it. */
function settle(target: string): void {
  const copy = new DatabaseSync(target, { defensive: true });
  try {
    copy.exec("PRAGMA journal_mode = DELETE");
    quickCheck(copy);
  } finally {
    copy.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
