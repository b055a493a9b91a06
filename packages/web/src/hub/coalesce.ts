/** Runs work that is requested repeatedly, one run at a time. All requests during a run share the next one. */
export class Coalesced {
  readonly #work: () => Promise<void>;
  #now: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves after a run that began after this call: the current run may have missed the reason for it. */
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
