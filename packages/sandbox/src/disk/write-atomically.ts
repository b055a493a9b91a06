import { randomUUID } from "node:crypto";
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Readers see the old file or the new one, whole, also after a power cut. It waits for the disk: only for what is small and seldom written.
 */
export function writeAtomically(path: string, content: string, mode = 0o600): void {
  const beside = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    const file = openSync(beside, "wx", mode);
    try {
      // Whatever the umask: a list of what is revoked has to be read by others.
      fchmodSync(file, mode);
      writeSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw cause;
  }
  syncDirectory(dirname(path));
}

/** Makes names in it durable: what was made, renamed or removed. */
export function syncDirectory(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
