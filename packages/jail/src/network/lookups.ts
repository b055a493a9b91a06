/** Lets a few through at a time, the others in order. */
export class Lookups {
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Whoever has gone when its turn comes isn't served. */
  async inTurn<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      signal.throwIfAborted();
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
