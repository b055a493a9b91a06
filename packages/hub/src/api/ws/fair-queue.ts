/** How long work may block the event loop. */
const STRETCH_MS = 10;

/**
 * Runs work of many connections in order of arrival, a little in each turn of the event loop, so that nobody else has
 * to wait for all of it.
 */
export class FairQueue {
  #waiting: (() => void)[] = [];

  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(work());
        } catch (cause) {
          reject(cause);
        }
      });
      if (this.#waiting.length === 1) setImmediate(() => this.#go());
    });
  }

  #go(): void {
    const until = performance.now() + STRETCH_MS;
    let done = 0;
    while (done < this.#waiting.length && (done === 0 || performance.now() < until)) this.#waiting[done++]?.();
    this.#waiting = this.#waiting.slice(done);
    if (this.#waiting.length > 0) setImmediate(() => this.#go());
  }
}
