/** So many wait for a hash that isn't theirs; more are told out of their order. */
const MOST_WAITING = 4096;

/**
 * Calls are told in the order in which they ended, also where one waits for its hash: whoever reads the record sees a file written before what was
 * done with it. What there is to wait for comes or is lost within a limit of its own (see `HashThread`).
 */
export class Tellings {
  #last: Promise<void> | null = null;
  #waiting = 0;
  #isTelling = false;

  /** At once, where nothing is waited for. What is told while something else is belongs to that. */
  tell(ready: Promise<unknown> | null, tell: () => void): void {
    const isInTurn = this.#last === null || this.#isTelling;
    if (ready === null && (isInTurn || this.#waiting >= MOST_WAITING)) return tell();
    this.#waiting++;
    const told = Promise.all([this.#last, ready]).then(() => this.#tell(tell));
    this.#last = told;
    void told.then(() => {
      this.#waiting--;
      if (this.#last === told) this.#last = null;
    });
  }

  #tell(tell: () => void): void {
    this.#isTelling = true;
    try {
      tell();
    } finally {
      this.#isTelling = false;
    }
  }

  /** When all that has ended is told. */
  async settled(): Promise<void> {
    while (this.#last) await this.#last;
  }
}
