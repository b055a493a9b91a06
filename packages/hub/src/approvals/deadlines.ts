import type { Clock, Timer } from "@countersign/core/base";

interface Deadline {
  readonly expiresAtMs: number;
  readonly monotonicDueMs: number;
}

/** How soon a wall clock that was set forwards is noticed. */
const LOOK_AGAIN_MS = 15_000;

/**
 * Deadlines by two clocks: the stored wall time, which survives a restart, and the monotonic time to live, so that
 * setting the wall clock back doesn't keep a question open. Whichever comes first counts.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #onDue: (id: string) => void;
  readonly #waiting = new Map<string, Deadline>();
  #timer: Timer | undefined;
  #timerDueMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onDue: (id: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  add(id: string, expiresAtMs: number, liveMs: number): void {
    const left = Math.min(liveMs, expiresAtMs - this.#clock.wallMs());
    const deadline = { expiresAtMs, monotonicDueMs: this.#clock.monotonicMs() + left };
    this.#waiting.set(id, deadline);
    this.#arm(deadline.monotonicDueMs);
  }

  remove(id: string): void {
    this.#waiting.delete(id);
  }

  isDue(id: string): boolean {
    const deadline = this.#waiting.get(id);
    if (!deadline) return true;
    return this.#clock.monotonicMs() >= deadline.monotonicDueMs || this.#clock.wallMs() >= deadline.expiresAtMs;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
  }

  #arm(dueMs: number): void {
    const now = this.#clock.monotonicMs();
    const wakeMs = Math.min(dueMs, now + LOOK_AGAIN_MS);
    if (wakeMs >= this.#timerDueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = wakeMs;
    this.#timer = this.#clock.after(Math.max(wakeMs - now, 0), () => this.#look());
  }

  #look(): void {
    this.stop();
    const due = [...this.#waiting.keys()].filter((id) => this.isDue(id));
    for (const id of due) this.#waiting.delete(id);
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of this.#waiting.values()) next = Math.min(next, deadline.monotonicDueMs);
    if (this.#waiting.size > 0) this.#arm(next);
    for (const id of due) this.#onDue(id);
  }
}
