export interface BackoffOptions {
  /** The ceiling of the first wait. */
  readonly minMs: number;
  /** The ceiling of every wait. */
  readonly maxMs: number;
}

/**
 * Exponential, with full jitter: each wait is anywhere between 0 and a ceiling that doubles, so that a thousand clients
 * of a hub that restarts don't come back at the same moment.
 */
export class Backoff {
  readonly #minMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #ceilingMs: number;

  constructor({ minMs, maxMs }: BackoffOptions, random: () => number = Math.random) {
    this.#minMs = minMs;
    this.#maxMs = maxMs;
    this.#random = random;
    this.#ceilingMs = minMs;
  }

  /**
   * How long to wait before the next attempt. A connection that was up for less than `maxMs` doesn't count as a
   * recovery, else a server that accepts and cuts at once would be called again every `minMs`.
   */
  nextMs(upForMs = 0): number {
    if (upForMs >= this.#maxMs) this.#ceilingMs = this.#minMs;
    const ceilingMs = Math.min(this.#ceilingMs, this.#maxMs);
    this.#ceilingMs = Math.min(ceilingMs * 2, this.#maxMs);
    return this.#random() * ceilingMs;
  }
}
