/**
 * Listeners in the order in which they came. One that throws doesn't keep the others from hearing; its error goes to
 * `report`. One that is removed while an event is under way isn't called any more; one that is added hears the next.
 */
export class Listeners<Args extends readonly unknown[]> {
  // Wrapped, so that the same function given twice is two listeners, each with its own unsubscribe.
  #entries: readonly { readonly call: (...args: Args) => void }[] = [];
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  get size(): number {
    return this.#entries.length;
  }

  add(call: (...args: Args) => void): () => void {
    const entry = { call };
    this.#entries = [...this.#entries, entry];
    return () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
  }

  emit(...args: Args): void {
    for (const entry of this.#entries) {
      if (!this.#entries.includes(entry)) continue;
      try {
        entry.call(...args);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}

/** As `EventTarget` does: an uncaught error of its own turn, for `window.onerror` or `uncaughtException`. */
export function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
