import type { Clock, Limits, Log, Timer } from "@countersign/core/base";
import { NotifyError } from "@countersign/core/config";
import { HubError } from "@countersign/core/errors";
import type { DeliveryHealth } from "@countersign/protocol/access";
import { Backoff } from "@countersign/protocol/wire";

interface DeliveryOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Log;
  /** Name for the log; holds no secret. */
  readonly to: string;
  /** A later delivery replaces those before it. */
  readonly onlyNewest: boolean;
  /** Called when the receiver is gone for ever. */
  readonly gone?: () => void;
}

/** One thing to send. `attempt` throws NotifyError. */
export interface Delivery {
  /** Not attempted after this time. */
  readonly untilMs: number;
  attempt(signal: AbortSignal): Promise<void>;
}

const BACKOFF = { minMs: 2_000, maxMs: 60_000 };

/** Queue of deliveries to one receiver: in order, one at a time, retried with backoff, and bounded by `notifyQueue`. */
export class Deliveries {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #to: string;
  readonly #onlyNewest: boolean;
  readonly #gone: (() => void) | undefined;
  #waiting: Delivery[] = [];
  #sending = false;
  #done: Promise<void> = Promise.resolve();
  #isLast = false;
  #pause: { readonly timer: Timer; readonly end: () => void } | undefined;
  readonly #closed = new AbortController();
  #health: DeliveryHealth = { delivered: 0, failed: 0, dropped: 0 };

  constructor({ clock, limits, log, to, onlyNewest, gone }: DeliveryOptions) {
    this.#clock = clock;
    this.#limits = limits;
    this.#log = log;
    this.#to = to;
    this.#onlyNewest = onlyNewest;
    this.#gone = gone;
  }

  get health(): DeliveryHealth {
    return this.#health;
  }

  add(delivery: Delivery): void {
    if (this.#closed.signal.aborted) return;
    if (this.#onlyNewest) {
      this.#waiting = [];
      // The delivery that waits for its retry is replaced too.
      this.#endPause();
    } else if (this.#waiting.length >= this.#limits.notifyQueue) {
      this.#waiting.shift();
      this.#health = { ...this.#health, dropped: this.#health.dropped + 1 };
      const words = "the oldest notification that waited was thrown away (limit: notifyQueue)";
      this.#log.warn({ to: this.#to, waiting: this.#limits.notifyQueue }, words);
    }
    this.#waiting.push(delivery);
    if (!this.#sending) this.#done = this.#sendAll();
  }

  /** Makes one attempt now, outside the queue. */
  try(delivery: Pick<Delivery, "attempt">): Promise<void> {
    return delivery.attempt(this.#closed.signal);
  }

  /** Makes one more attempt for each queued delivery, without retries. */
  async finish(): Promise<void> {
    this.#isLast = true;
    this.#endPause();
    await this.#done;
  }

  close(): void {
    this.#waiting = [];
    this.#closed.abort();
    this.#endPause();
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#send(next);
    this.#sending = false;
  }

  async #send(delivery: Delivery): Promise<void> {
    const backoff = new Backoff(BACKOFF);
    for (let tries = 1; !this.#closed.signal.aborted && this.#clock.wallMs() < delivery.untilMs; tries += 1) {
      const failure = await this.#attempt(delivery);
      if (failure === undefined || this.#closed.signal.aborted) return;
      if (failure.code === "GONE" && this.#gone) return this.#gone();
      if (!failure.mayPass || tries >= this.#limits.notifyAttempts || this.#isLast) {
        this.#health = { ...this.#health, failed: this.#health.failed + 1 };
        this.#log.warn(
          { to: this.#to, code: failure.code, tries },
          `a notification could not be delivered: ${failure.message}`,
        );
        return;
      }
      // The newest delivery replaces this one, so it isn't retried.
      if (this.#onlyNewest && this.#waiting.length > 0) return;
      await this.#wait(Math.max(backoff.nextMs(), failure.retryAfterMs ?? 0));
    }
  }

  async #attempt(delivery: Delivery): Promise<NotifyError | undefined> {
    try {
      await delivery.attempt(this.#closed.signal);
      const { problem: _, ...rest } = this.#health;
      const lastDeliveredAtMs = this.#clock.wallMs();
      this.#health = { ...rest, delivered: rest.delivered + 1, lastDeliveredAtMs };
      return undefined;
    } catch (cause) {
      const failure = cause instanceof NotifyError ? cause : unexpected(cause);
      this.#health = { ...this.#health, problem: `${failure.message} (${failure.code})` };
      return failure;
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#pause = undefined;
        resolve();
      };
      this.#pause = { timer: this.#clock.after(ms, end), end };
    });
  }

  #endPause(): void {
    this.#pause?.timer.cancel();
    this.#pause?.end();
  }
}

/** An error while the message was made, such as from an invalid key of the receiver. A retry would fail again. */
function unexpected(cause: unknown): NotifyError {
  const why = cause instanceof HubError ? cause.message : "It could not be made for them";
  return new NotifyError("REFUSED", why, { cause });
}
