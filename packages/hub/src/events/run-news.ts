import type { RunEnded, RunView } from "@countersign/protocol/proposals";

export type RunTold =
  | { readonly kind: "started"; readonly run: RunView }
  | { readonly kind: "ended"; readonly ended: RunEnded };

/**
 * What begins and ends, for those who look at what runs. Told in a turn of its own: whoever is given the list and listens from
 * that moment on has the list before the first of it. What is in both is told twice, and is the same.
 */
export class RunNews {
  readonly #listeners = new Set<(told: RunTold) => void>();
  #waiting: RunTold[] = [];

  /** A listener must not throw. Returns how to stop listening. */
  listen(listener: (told: RunTold) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is to be told is made only where somebody listens. */
  tell(make: () => RunTold): void {
    if (this.#listeners.size === 0) return;
    if (this.#waiting.push(make()) > 1) return;
    setImmediate(() => {
      const told = this.#waiting;
      this.#waiting = [];
      for (const each of told) for (const listener of this.#listeners) listener(each);
    });
  }
}
