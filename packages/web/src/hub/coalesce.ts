/** Work that is wanted again and again: one at a time, and all who want it while it is done share the next. */
export class Coalesced {
  readonly #work: () => Promise<void>;
  #now: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Ends with work that began after it was wanted: what was under way may have missed why. */
  want(): Promise<void> {
    if (this.#now === undefined) return this.#begin();
    const go = () => {
      this.#next = undefined;
      return this.#begin();
    };
    this.#next ??= this.#now.then(go, go);
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#now = this.#work().finally(() => {
      this.#now = undefined;
    });
    return this.#now;
  }
}
