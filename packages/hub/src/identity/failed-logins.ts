import type { Clock } from "@countersign/core/base";

const FREE = 5;
const REFILL_MS = 1_000;
const MAX_ADDRESSES = 10_000;
const UNGUESSABLE = 32;

/**
 * After five wrong tokens an address gets one try a second; what comes faster is refused unread. Tokens have 256 bits:
 * this is against noise, not against guessing.
 */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #onFailed: (address: string) => void;
  readonly #left = new Map<string, { tries: number; atMs: number }>();

  constructor(clock: Clock, onFailed: (address: string) => void = () => undefined) {
    this.#clock = clock;
    this.#onFailed = onFailed;
  }

  /**
   * Tries a token. One that nobody can guess is taken whatever went before: else anyone on the same machine could keep
   * everybody out with wrong ones.
   */
  attempt<T>(address: string, token: string, identify: () => T | undefined): T | "limited" | undefined {
    const found = identify();
    if (found !== undefined && token.length >= UNGUESSABLE) return found;
    if (!this.mayTry(address)) return "limited";
    if (found === undefined) this.failed(address);
    return found;
  }

  mayTry(address: string): boolean {
    return this.#triesLeft(address) >= 1;
  }

  failed(address: string): void {
    this.#onFailed(address);
    // The oldest goes: clearing all would be a way to start afresh.
    const [oldest] = this.#left.keys();
    if (this.#left.size >= MAX_ADDRESSES && oldest !== undefined) this.#left.delete(oldest);
    this.#left.set(address, { tries: Math.max(this.#triesLeft(address) - 1, 0), atMs: this.#clock.monotonicMs() });
  }

  #triesLeft(address: string): number {
    const known = this.#left.get(address);
    if (!known) return FREE;
    return Math.min(FREE, known.tries + (this.#clock.monotonicMs() - known.atMs) / REFILL_MS);
  }
}
