import type { Clock, Limits, Log, Timer } from "@countersign/core/base";
import { NotifyError } from "@countersign/core/config";
import { HubError } from "@countersign/core/errors";
import type { DeliveryHealth } from "@countersign/protocol/access";
import { Backoff } from "@countersign/protocol/wire";

interface DeliveryOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Log;
  /** For the log: names nobody's secret. */
  readonly to: string;
  /** A later one makes those before it worthless: only the newest is kept. */
  readonly onlyNewest: boolean;
  /** It isn't there any more, for ever. */
  readonly gone?: () => void;
}

/** One thing to send. `attempt` throws NotifyError. */
export interface Delivery {
  /** Nobody wants it after that. */
  readonly untilMs: number;
  attempt(signal: AbortSignal): Promise<void>;
}

const BACKOFF = { minMs: 2_000, maxMs: 60_000 };

/** What is to be sent to one place: in order, one at a time, tried again after a while, and never more than so many. */
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
      // The one that waits to be tried again has had its time.
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

  /** Once, now, beside what waits. */
  try(delivery: Pick<Delivery, "attempt">): Promise<void> {
    return delivery.attempt(this.#closed.signal);
  }

  /** What is being sent, and what waits for that, once; nothing is tried again. */
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
      // Whatever came meanwhile says more than this one.
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

/** What the other side gave us (a key that is none) broke what makes the message: it would again. */
function unexpected(cause: unknown): NotifyError {
  const why = cause instanceof HubError ? cause.message : "It could not be made for them";
  return new NotifyError("REFUSED", why, { cause });
}
