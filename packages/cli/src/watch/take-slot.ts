import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Lock, LockError, tryLock } from "@countersign/core/host";

/** More than anybody has open. */
const MOST = 16;

/** Which of this home's open terminals this is, from 1. */
export interface Slot extends Lock {
  readonly number: number;
}

/**
 * Held until the process ends. Each connects as a device of its own, since a second connection of the same device would put the first one
 * out; and by number, since the hub remembers every device that it ever saw. Undefined where the home has no place for that.
 */
export function takeSlot(homeDir: string): Slot | undefined {
  const run = join(homeDir, "run");
  if (!existsSync(run)) return undefined;
  try {
    for (let number = 1; number <= MOST; number += 1) {
      const lock = tryLock(join(run, `watch-${number}.lock`));
      if (lock) return { number, release: () => lock.release() };
    }
  } catch (cause) {
    // Another user's home, or a full disk: then this one is a device that nobody remembers.
    if (!(cause instanceof LockError)) throw cause;
  }
  return undefined;
}
