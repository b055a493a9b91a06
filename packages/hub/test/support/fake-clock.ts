import type { Clock } from "@countersign/core/base";

/** A clock that stands still until the test moves it. */
export class FakeClock implements Clock {
  #wallMs = 1_800_000_000_000;
  #monotonicMs = 1_000;
  #timers = new Set<{ dueMs: number; run: () => void }>();

  wallMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, run: () => void): { cancel(): void } {
    const timer = { dueMs: this.#monotonicMs + delayMs, run };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Both clocks go on; timers fire in their order. */
  advance(ms: number): void {
    const end = this.#monotonicMs + ms;
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.dueMs <= end).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#step(Math.max(next.dueMs - this.#monotonicMs, 0));
      next.run();
    }
    this.#step(end - this.#monotonicMs);
  }

  /** Somebody sets the machine's clock; the monotonic one doesn't notice. */
  setWall(byMs: number): void {
    this.#wallMs += byMs;
  }

  #step(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }
}
