/** What is done at a stretch before the event loop gets its turn. */
const STRETCH_MS = 10;

/** Does what many connections want, first come first served, a little in each turn of the event loop: nobody else waits for all of them. */
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
