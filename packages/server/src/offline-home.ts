import { existsSync } from "node:fs";
import { systemClock } from "./clock.ts";
import { readConfig } from "./config.ts";
import { type Home, prepareHome } from "./home.ts";
import type { Identity } from "./identity.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { userName } from "./machine/user-name.ts";
import { openHubStore } from "./recorder/open-hub-store.ts";
import { StartError } from "./start-error.ts";
import { lockHome } from "./store/sqlite/lock-home.ts";
import type { Store } from "./store/store.ts";
import { StoreError } from "./store/store-error.ts";

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
    const rooms = { home, clock: systemClock, limits: DEFAULT_LIMITS };
    // Where another process writes the ledger, what goes on record is kept for it: the next start delivers it.
    const { store } = existsSync(home.database)
      ? await openHubStore({ ...rooms, config: readConfig(home.config) })
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
