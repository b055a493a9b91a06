import { type Tuple, tupleKey } from "./conntrack/index.ts";
import type { EgressLimits } from "./limits.ts";

/** `new`: to be told. `again`: of an attempt that is known. `too-many`: to be counted. */
type Attempt = "new" | "again" | "too-many";

/** Tells attempts from packets: the same one is sent again until somebody gives up. */
export class BlockedAttempts {
  readonly #limits: EgressLimits;
  /** When each was seen last, the newest last. */
  readonly #seen = new Map<string, number>();
  #tokens: number;
  #filledAtMs: number | undefined;

  constructor(limits: EgressLimits) {
    this.#limits = limits;
    this.#tokens = limits.blockedBurst;
  }

  take(tuple: Tuple, nowMs: number): Attempt {
    const key = tupleKey(tuple);
    const before = this.#seen.get(key);
    this.#seen.delete(key);
    this.#seen.set(key, nowMs);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > this.#limits.attempts && oldest !== undefined) this.#seen.delete(oldest);
    if (before !== undefined && nowMs - before < this.#limits.attemptMs) return "again";
    return this.#hasToken(nowMs) ? "new" : "too-many";
  }

  /** It wasn't one: the next packet is another's. */
  forget(tuple: Tuple): void {
    this.#seen.delete(tupleKey(tuple));
  }

  #hasToken(nowMs: number): boolean {
    const { blockedBurst, blockedPerSecond } = this.#limits;
    const passedMs = nowMs - (this.#filledAtMs ?? nowMs);
    this.#filledAtMs = nowMs;
    this.#tokens = Math.min(blockedBurst, this.#tokens + (passedMs * blockedPerSecond) / 1_000);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
