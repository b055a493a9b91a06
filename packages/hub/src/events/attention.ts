import type { Clock } from "@countersign/core/base";
import type { Attention as Said } from "@countersign/protocol/access";

/** Whether somebody looks, as their clients say it. What a connection said ends with it. */
export class Attention {
  readonly #clock: Clock;
  readonly #said = new Map<AbortSignal, Said>();
  readonly #listeners = new Set<() => void>();
  #lookedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Somebody has the page before them. */
  get looking(): boolean {
    return [...this.#said.values()].some(looks);
  }

  /** When the last of them was seen to, by the monotonic clock: now, while somebody looks. */
  get lookedUntilMs(): number {
    return this.looking ? this.#clock.monotonicMs() : this.#lookedUntilMs;
  }

  /** A terminal shows what waits, and rings by itself. */
  get watched(): boolean {
    return [...this.#said.values()].some(({ where }) => where === "terminal");
  }

  say(said: Said, gone: AbortSignal): void {
    if (gone.aborted) return;
    if (!this.#said.has(gone)) gone.addEventListener("abort", () => this.#forget(gone), { once: true });
    this.#leave(gone, said.idleMs ?? 0);
    this.#said.set(gone, said);
    this.#tell();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #forget(gone: AbortSignal): void {
    this.#leave(gone, 0);
    this.#said.delete(gone);
    this.#tell();
  }

  /** Whoever looked there until now did so until then. */
  #leave(gone: AbortSignal, idleMs: number): void {
    const before = this.#said.get(gone);
    if (before === undefined || !looks(before)) return;
    this.#lookedUntilMs = Math.max(this.#lookedUntilMs, this.#clock.monotonicMs() - idleMs);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function looks({ where, looking }: Said): boolean {
  return where === "page" && looking;
}
