/** So many, and so much, wait for a hash that isn't theirs; more are told out of their order. */
const MOST_WAITING = 4096;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Calls are told in the order in which they ended, also where one waits for its hash: whoever reads the record sees a file written before what was
 * done with it. What there is to wait for comes or is lost within a limit of its own (see `HashThread`).
 */
export class Tellings {
  #last: Promise<void> | null = null;
  #waiting = 0;
  #bytes = 0;
  #isTelling = false;

  /** At once, where nothing is waited for. What is told while something else is belongs to that. `bytes`: what is held for it meanwhile. */
  tell(ready: Promise<unknown> | null, tell: () => void, bytes = 0): void {
    const isInTurn = this.#last === null || this.#isTelling;
    const isTooMuch = this.#waiting >= MOST_WAITING || this.#bytes + bytes > MOST_BYTES;
    if (ready === null && (isInTurn || isTooMuch)) return tell();
    this.#waiting++;
    this.#bytes += bytes;
    const told = Promise.all([this.#last, ready])
      .then(() => this.#tell(tell))
      .catch(throwUncaught)
      .then(() => {
        this.#waiting--;
        this.#bytes -= bytes;
        if (this.#last === told) this.#last = null;
      });
    this.#last = told;
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

/** Of a bug the process hears, as where nothing is waited for; what comes after it in the order is told. */
function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
