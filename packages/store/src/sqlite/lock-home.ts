import { join } from "node:path";
import { type Lock, LockError, tryLock } from "@countersign/core/host";
import { StoreError } from "../ledger/index.ts";
import { translateError } from "./base/index.ts";

export const LOCK_FILE = "hub.lock";

/** Makes this process the only hub of a home, or throws LOCKED. */
export function lockHome(home: string): Lock {
  const lock = holdFile(home);
  if (lock === undefined) throw new StoreError("LOCKED", `Another Countersign hub is running on ${home}.`);
  return lock;
}

function holdFile(home: string): Lock | undefined {
  try {
    return tryLock(join(home, LOCK_FILE));
  } catch (error) {
    throw translateError(error instanceof LockError ? error.cause : error, `The home ${home} can't be locked`);
  }
}
