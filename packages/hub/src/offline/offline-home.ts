import { existsSync } from "node:fs";
import { DEFAULT_LIMITS, type Identity, systemClock } from "@countersign/core/base";
import { type Home, prepareHome, readConfig } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import { userName } from "@countersign/core/host";
import { openHubStore } from "@countersign/recorder";
import { lockHome, type Store, StoreError } from "@countersign/store";

/** The owner of a home that no hub runs for: they have its files, which is as much as its first token. */
export function owner(): Identity {
  return { id: "bootstrap", role: "approver", name: userName(), sameUser: true, unattended: false };
}

/** Holds a home that no hub runs for, and its store where it was ever served. */
export async function inHome<T>(
  homeDir: string,
  work: (home: Home, store: Store | undefined) => Promise<T>,
): Promise<T> {
  const home = prepareHome(homeDir);
  const lock = holdHome(home.run);
  try {
    // Where another process writes the ledger, what goes on record is kept for it: the next start delivers it.
    const { store } = existsSync(home.database)
      ? await openHubStore({ home, clock: systemClock, limits: DEFAULT_LIMITS, config: readConfig(home.config) })
      : { store: undefined };
    try {
      return await work(home, store);
    } finally {
      await store?.close();
    }
  } finally {
    lock.release();
  }
}

function holdHome(run: string): { release(): void } {
  try {
    return lockHome(run);
  } catch (cause) {
    if (!(cause instanceof StoreError && cause.code === "LOCKED")) throw cause;
    throw new StartError(
      "ALREADY_RUNNING",
      "A hub uses this home and can't be reached. `countersign` tells its state.",
      { cause },
    );
  }
}
