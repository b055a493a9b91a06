import type { Clock, Identity, Limits } from "@countersign/core/base";

/**
 * Whether anybody is there who could answer: an approver with a socket of either dialect, also through a gateway, or one who
 * looked at what waits a moment ago. Whoever may only watch doesn't count. By the monotonic clock: setting the other back
 * brings nobody back.
 */
export class Presence {
  readonly #clock: Clock;
  readonly #limits: Pick<Limits, "presenceMs">;
  #connected = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, limits: Pick<Limits, "presenceMs">) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get anyone(): boolean {
    return this.#connected > 0 || this.#clock.monotonicMs() - this.#lookedAtMs < this.#limits.presenceMs;
  }

  /** Somebody is connected until `gone`. */
  connected({ role }: Identity, gone: AbortSignal): void {
    if (role !== "approver" || gone.aborted) return;
    this.#connected += 1;
    gone.addEventListener("abort", () => {
      this.#connected -= 1;
    });
  }

  looked(): void {
    this.#lookedAtMs = this.#clock.monotonicMs();
  }
}
