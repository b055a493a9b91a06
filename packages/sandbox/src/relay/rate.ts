import type { RelayLimits } from "./limits.ts";
import { RelayError } from "./relay-error.ts";

/** Sandboxes that are remembered; past it one that was forgotten begins anew. */
const MAX_SANDBOXES = 10_000;

interface Quota {
  frames: number;
  bytes: number;
  countedAtMs: number;
}

/** What each sandbox may send: a flood is its sender's loss, not everyone's. */
export class Rates {
  readonly #limits: RelayLimits;
  readonly #quotas = new Map<string, Quota>();

  constructor(limits: RelayLimits) {
    this.#limits = limits;
  }

  /** Throws RelayError, and nothing is taken, where it is too much. */
  take(sandboxId: string, frames: number, bytes: number): void {
    const quota = this.#fill(sandboxId);
    const { framesPerSecond, bytesPerSecond } = this.#limits;
    if (quota.frames < frames) throw tooMany("TOO_MANY_FRAMES", (frames - quota.frames) / framesPerSecond);
    if (quota.bytes < bytes) throw tooMany("TOO_MANY_BYTES", (bytes - quota.bytes) / bytesPerSecond);
    quota.frames -= frames;
    quota.bytes -= bytes;
  }

  #fill(sandboxId: string): Quota {
    const { frameBurst, framesPerSecond, byteBurst, bytesPerSecond } = this.#limits;
    const nowMs = performance.now();
    const known = this.#quotas.get(sandboxId);
    if (known === undefined) {
      const [oldest] = this.#quotas.keys();
      if (this.#quotas.size >= MAX_SANDBOXES && oldest !== undefined) this.#quotas.delete(oldest);
      const quota = { frames: frameBurst, bytes: byteBurst, countedAtMs: nowMs };
      this.#quotas.set(sandboxId, quota);
      return quota;
    }
    const seconds = (nowMs - known.countedAtMs) / 1_000;
    known.frames = Math.min(frameBurst, known.frames + seconds * framesPerSecond);
    known.bytes = Math.min(byteBurst, known.bytes + seconds * bytesPerSecond);
    known.countedAtMs = nowMs;
    return known;
  }
}

function tooMany(code: "TOO_MANY_FRAMES" | "TOO_MANY_BYTES", waitS: number): RelayError {
  const message = "The sandbox sends too much; send it again later";
  return new RelayError(code, message, { retryAfterS: Math.max(1, Math.ceil(waitS)) });
}
