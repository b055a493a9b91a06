import { type Clock, type Limits, TokenBucket } from "@countersign/core/base";
import { FrameError } from "./frame-error.ts";

/** Users that are remembered; past it the one that was forgotten begins with a full bucket again. */
const MAX_USERS = 10_000;

interface Quota {
  readonly frames: TokenBucket;
  readonly bytes: TokenBucket;
}

/** What each user's emitters may send: a flood is its sender's loss, not everyone's. */
export class Quotas {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #users = new Map<number, Quota>();

  constructor({ clock, limits }: { readonly clock: Clock; readonly limits: Limits }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Throws FrameError for one too many. */
  take(uid: number, bytes: number): void {
    const quota = this.#quotaOf(uid);
    if (!quota.frames.take()) throw tooMany("TOO_MANY_FRAMES", "emitterFramesPerSecond");
    if (!quota.bytes.take(bytes)) throw tooMany("TOO_MANY_BYTES", "emitterBytesPerSecond");
  }

  #quotaOf(uid: number): Quota {
    const known = this.#users.get(uid);
    if (known) return known;
    const [oldest] = this.#users.keys();
    if (this.#users.size >= MAX_USERS && oldest !== undefined) this.#users.delete(oldest);
    const { emitterFrameBurst, emitterFramesPerSecond, emitterByteBurst, emitterBytesPerSecond } = this.#limits;
    const quota = {
      frames: new TokenBucket(this.#clock, { burst: emitterFrameBurst, perSecond: emitterFramesPerSecond }),
      bytes: new TokenBucket(this.#clock, { burst: emitterByteBurst, perSecond: emitterBytesPerSecond }),
    };
    this.#users.set(uid, quota);
    return quota;
  }
}

function tooMany(code: "TOO_MANY_FRAMES" | "TOO_MANY_BYTES", limit: string): FrameError {
  return new FrameError(code, `User's emitters send too much; send it again later (limit: ${limit})`);
}
