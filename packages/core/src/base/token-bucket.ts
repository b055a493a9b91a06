import type { Clock } from "./clock.ts";

interface Rate {
  /** What may come at once. */
  readonly burst: number;
  /** What may come in the long run. */
  readonly perSecond: number;
}

/** Full at first; it fills again with time. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #rate: Rate;
  #left: number;
  #countedAtMs: number;

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#left = rate.burst;
    this.#countedAtMs = clock.monotonicMs();
  }

  /** False, and nothing is taken, where there isn't as much. */
  take(amount = 1): boolean {
    const now = this.#clock.monotonicMs();
    const refill = ((now - this.#countedAtMs) / 1000) * this.#rate.perSecond;
    this.#countedAtMs = now;
    this.#left = Math.min(this.#rate.burst, this.#left + refill);
    if (this.#left < amount) return false;
    this.#left -= amount;
    return true;
  }
}

/** Frames of one WebSocket. */
export function frameRate(
  clock: Clock,
  limits: { readonly frameBurst: number; readonly framesPerSecond: number },
): TokenBucket {
  return new TokenBucket(clock, { burst: limits.frameBurst, perSecond: limits.framesPerSecond });
}
