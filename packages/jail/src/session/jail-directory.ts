import assert from "node:assert/strict";
import { fstatSync, lstatSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, type Stats } from "node:fs";
import { rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "@countersign/core/base";
import { type Lock, tryLock } from "@countersign/core/host";
import { kindAt, type OpenDirectory, openClosed, openDirectory } from "@countersign/core/host/fs";
import { JailError } from "../base/index.ts";
import { emptyDirectory } from "../workspace/index.ts";

const NAME = "countersign-jail-";
const LOCK = "lock";

/**
 * A directory for what a jail has besides its workspace, its `/tmp` included. Ours alone, and gone with the jail. It is locked for as long, so that
 * another process can tell when its own was killed.
 */
export class JailDirectory {
  readonly path: string;
  readonly #lock: Lock;
  readonly #log: Log;

  private constructor(path: string, lock: Lock, log: Log) {
    this.path = path;
    this.#lock = lock;
    this.#log = log;
  }

  /** Throws JailError where no jail can be built. */
  static make(log: Log): JailDirectory {
    if (process.platform !== "linux") throw new JailError("PROBE_FAILED", "Jails are built on Linux only");
    const path = mkdtempSync(join(realpathSync(tmpdir()), NAME));
    try {
      return new JailDirectory(path, lockNew(path), log);
    } catch (cause) {
      rmSync(path, { recursive: true, force: true });
      throw cause;
    }
  }

  /** Where something can't be removed, that is for whoever reads the log: nobody who ends a jail could do more. */
  async remove(): Promise<void> {
    try {
      using directory = openClosed(this.path);
      if (directory !== undefined) await removeLocked(directory, this.path);
    } catch (cause) {
      this.#log.warn({ err: cause, path: this.path }, "a jail has ended, and its directory can't be removed");
    } finally {
      this.#lock.release();
    }
  }
}

/** The file has its name only once it is locked: where it is seen and nobody has the lock, whoever made it is gone. */
function lockNew(path: string): Lock {
  const unnamed = join(path, `${LOCK}.new`);
  const lock = tryLock(unnamed);
  assert(lock, "nobody else looks for a file of that name");
  renameSync(unnamed, join(path, LOCK));
  return lock;
}

/** The lock is the last to go: what is left of a directory without one would be nobody's to remove. */
async function removeLocked(directory: OpenDirectory, path: string): Promise<void> {
  await emptyDirectory(directory, LOCK);
  await unlink(directory.at(LOCK));
  await rmdir(path);
}

/**
 * Removes the directories of jails whose processes were killed, this user's alone. One without a lock stays: whoever makes one may not have come to
 * it yet, and has nothing in there. Never rejects.
 */
export async function removeLeftBehind(log: Log): Promise<void> {
  for (const path of candidates(log)) {
    try {
      if (await removeUnlocked(path)) log.info({ path }, "what a jail left behind was removed: its process was killed");
    } catch (cause) {
      // Another process that starts may have been faster.
      if (kindAt(path) !== undefined) log.warn({ err: cause, path }, "what a jail left behind can't be removed");
    }
  }
}

function candidates(log: Log): string[] {
  try {
    const within = realpathSync(tmpdir());
    return readdirSync(within).flatMap((name) => (name.startsWith(NAME) ? [join(within, name)] : []));
  } catch (cause) {
    log.warn({ err: cause }, "what jails left behind can't be looked for");
    return [];
  }
}

/** Whether it was one that nobody has any more. */
async function removeUnlocked(path: string): Promise<boolean> {
  if (!isOurs(lstatSync(path, { throwIfNoEntry: false }))) return false;
  using directory = openDirectory(path);
  if (directory === undefined || !isOurs(fstatSync(directory.fd))) return false;
  if (!lstatSync(directory.at(LOCK), { throwIfNoEntry: false })?.isFile()) return false;
  const lock = tryLock(join(path, LOCK));
  if (lock === undefined) return false;
  try {
    await removeLocked(directory, path);
    return true;
  } finally {
    lock.release();
  }
}

function isOurs(stat: Stats | undefined): boolean {
  return stat?.isDirectory() === true && stat.uid === process.geteuid?.() && (stat.mode & 0o7777) === 0o700;
}
