import type { Log } from "@countersign/core/base";
import type { LedgerCheckpoint } from "@countersign/protocol/records";
import type { Store } from "@countersign/store";

/** Tells who watches that the ledger has a new checkpoint: whoever remembers one compares. */
export class CheckpointNews {
  readonly #store: Store;
  readonly #log: Log;
  readonly #listeners = new Set<(told: LedgerCheckpoint) => void>();
  #newest = 0;
  #looking = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  listen(listener: (told: LedgerCheckpoint) => void): void {
    this.#listeners.add(listener);
  }

  /** The ledger has grown. Returns at once. Whoever signs it, it is in the store then. */
  follow(): void {
    if (this.#looking || this.#listeners.size === 0) return;
    this.#looking = true;
    // A burst of commits is one look.
    setImmediate(() => {
      this.#looking = false;
      this.#look().catch((cause) => this.#log.error({ err: cause }, "the newest checkpoint could not be told"));
    });
  }

  async #look(): Promise<void> {
    const newest = await this.#store.newestCheckpoint();
    if (newest === null || newest.size <= this.#newest) return;
    this.#newest = newest.size;
    for (const listener of this.#listeners) listener(newest);
  }
}
