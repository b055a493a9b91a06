import type { Clock, Log, Timer } from "@countersign/core/base";
import type { Store } from "@countersign/store";

/** Anyone who reaches the port can fail: the first is on record at once, what follows within this time as one. */
const TOGETHER_MS = 60_000;
const MOST_ADDRESSES = 8;

/** Wrong tokens and codes, on record. */
export class AuthFailures {
  readonly #store: Pick<Store, "commit">;
  readonly #clock: Clock;
  readonly #log: Log;
  #count = 0;
  readonly #addresses = new Set<string>();
  #due: Timer | undefined;

  constructor(store: Pick<Store, "commit">, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  failed(address: string): void {
    this.#count += 1;
    if (this.#addresses.size < MOST_ADDRESSES) this.#addresses.add(address);
    if (this.#due) return;
    this.#record();
    this.#due = this.#clock.after(TOGETHER_MS, () => {
      this.#due = undefined;
      this.#record();
    });
  }

  /** What was counted since the last. */
  close(): void {
    this.#due?.cancel();
    this.#record();
  }

  #record(): void {
    if (this.#count === 0) return;
    const body = { count: this.#count, addresses: [...this.#addresses] };
    this.#count = 0;
    this.#addresses.clear();
    const draft = {
      type: "auth-failed",
      sessionId: null,
      proposalKey: null,
      atMs: this.#clock.wallMs(),
      body,
    } as const;
    this.#store.commit([{ op: "append", draft }]).catch((cause) => {
      this.#log.error({ err: cause, ...body }, "failed logins could not be recorded");
    });
  }
}
