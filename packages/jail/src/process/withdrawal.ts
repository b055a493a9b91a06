/**
 * Whether a proposal was withdrawn, and why: while it waits it is cancelled, while it runs it is killed. An AbortSignal
 * would do, at 1.5 kB for each of the thousands that may wait.
 */
export class Withdrawal {
  #reason: string | undefined;
  #listeners: (() => void)[] = [];

  get reason(): string | undefined {
    return this.#reason;
  }

  /** Once; the first reason stays. */
  withdraw(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Called at once if it was withdrawn already. Returns how to stop listening. */
  onWithdrawn(listener: () => void): () => void {
    if (this.#reason !== undefined) listener();
    else this.#listeners.push(listener);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }
}
