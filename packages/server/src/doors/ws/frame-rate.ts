import type { Clock } from "../../clock.ts";
import type { Limits } from "../../limits.ts";

/** A bucket of frames: `frameBurst` at first, then `framesPerSecond`. */
export class FrameRate {
  readonly #clock: Clock;
  readonly #limits: Limits;
  #left: number;
  #countedAtMs: number;

  constructor({ clock, limits }: { readonly clock: Clock; readonly limits: Limits }) {
    this.#clock = clock;
    this.#limits = limits;
    this.#left = limits.frameBurst;
    this.#countedAtMs = clock.monotonicMs();
  }

  /** False when there was one too many. */
  take(): boolean {
    const now = this.#clock.monotonicMs();
    const refill = ((now - this.#countedAtMs) / 1000) * this.#limits.framesPerSecond;
    this.#countedAtMs = now;
    this.#left = Math.min(this.#limits.frameBurst, this.#left + refill) - 1;
    return this.#left >= 0;
  }
}
