import type { Clock, Log, Timer } from "@countersign/core/base";
import type { HubState } from "@countersign/protocol/hub";

/** A burst of changes is told once: the state is counted over the day. */
const EVERY_MS = 300;

/** Tells who asked how the hub stands whenever that has changed, so that nobody has to ask every few seconds. */
export class StateNews {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #read: () => Promise<HubState>;
  /** Each with what it was told last: one that has just come may know of a state that nobody was told. */
  readonly #listeners = new Map<(state: HubState) => void, string>();
  #due: Timer | undefined;

  constructor(clock: Clock, log: Log, read: () => Promise<HubState>) {
    this.#clock = clock;
    this.#log = log;
    this.#read = read;
  }

  /** A listener must not throw. Returns how to stop listening. */
  listen(listener: (state: HubState) => void): () => void {
    this.#listeners.set(listener, "");
    return () => this.#listeners.delete(listener);
  }

  /** Something went on record, began or ended. Returns at once. */
  changed(): void {
    if (this.#listeners.size === 0) return;
    this.#due ??= this.#clock.after(EVERY_MS, () => {
      this.#due = undefined;
      this.#tell().catch((cause) => this.#log.error({ err: cause }, "the hub's state could not be told"));
    });
  }

  close(): void {
    this.#due?.cancel();
    this.#listeners.clear();
  }

  async #tell(): Promise<void> {
    const state = await this.#read();
    const text = JSON.stringify(state);
    for (const [listener, told] of this.#listeners) {
      if (told === text) continue;
      this.#listeners.set(listener, text);
      listener(state);
    }
  }
}
