import type { Clock } from "../clock.ts";

const FREE = 5;
const REFILL_MS = 1_000;
const MAX_ADDRESSES = 10_000;

/**
 * After five wrong tokens an address gets one try a second; what comes faster is refused unread. Tokens have 256 bits:
 * this is against noise, not against guessing.
 */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #left = new Map<string, { tries: number; atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  mayTry(address: string): boolean {
    return this.#triesLeft(address) >= 1;
  }

  failed(address: string): void {
    if (this.#left.size >= MAX_ADDRESSES) this.#left.clear();
    this.#left.set(address, { tries: Math.max(this.#triesLeft(address) - 1, 0), atMs: this.#clock.monotonicMs() });
  }

  #triesLeft(address: string): number {
    const known = this.#left.get(address);
    if (!known) return FREE;
    return Math.min(FREE, known.tries + (this.#clock.monotonicMs() - known.atMs) / REFILL_MS);
  }
}
