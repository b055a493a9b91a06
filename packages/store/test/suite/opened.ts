import { test } from "node:test";
import type { Store } from "../../src/contract/store.ts";

export interface Opened {
  readonly store: Store;
  /** Closes what is open and opens the same data again. */
  reopen(): Promise<Store>;
  /** A path for a backup, where nothing is yet. */
  backupPath(): string;
  cleanup(): Promise<void>;
}

export type Scenario = (title: string, run: (store: Store, opened: Opened) => Promise<void>) => void;

/** One test on a store of its own. */
export function scenarios(open: () => Promise<Opened>): Scenario {
  return (title, run) => {
    test(title, async () => {
      const opened = await open();
      try {
        await run(opened.store, opened);
      } finally {
        await opened.cleanup();
      }
    });
  };
}
