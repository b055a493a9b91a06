import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { StoreError } from "../ledger/index.ts";
import { translateError } from "./base/index.ts";
import { quickCheck } from "./inspect.ts";

/** All pages in one step: the copy is what one moment saw, and commits in the meantime don't make it begin again. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a database that is in use, in another thread, to one file that was checked and is on disk. It has a connection of its
 * own: on the store's, a commit at the same time would change the error that the copy is judged by.
 */
export async function backUp(db: DatabaseSync, target: string): Promise<void> {
  try {
    closeSync(openSync(target, "wx", 0o600));
  } catch (error) {
    throw translateError(error, `The backup ${target} can't be made`);
  }
  try {
    await copy(db.location() ?? "", target);
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

async function copy(source: string, target: string): Promise<void> {
  const reader = new DatabaseSync(source, { readOnly: true });
  try {
    await backup(reader, target, { rate: ALL_PAGES });
  } finally {
    reader.close();
  }
}

/** Leaves WAL mode, so that the copy is one file that can be read from read-only media, then checks it. */
function settle(target: string): void {
  const copied = new DatabaseSync(target, { defensive: true });
  try {
    copied.exec("PRAGMA journal_mode = DELETE");
    quickCheck(copied);
  } finally {
    copied.close();
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
