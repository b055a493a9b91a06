import type { Limits } from "@countersign/core/base";
import type { ChatEvent } from "@countersign/protocol/hub";
import { uuidv7 } from "uuidv7";

interface Holder {
  /** Called when its events have been dropped. */
  forget(): void;
}

/**
 * Limits the memory that the events of all sessions take together. The session that has been silent longest loses its
 * events first.
 */
export class EventBudget {
  readonly #maxBytes: number;
  /** Holders by the time of their last event, the latest last. */
  readonly #held = new Map<Holder, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Sets how much a holder keeps now, and drops the events of others if that is too much. */
  hold(holder: Holder, bytes: number): void {
    this.leave(holder);
    this.#held.set(holder, bytes);
    this.#bytes += bytes;
    for (const silent of this.#held.keys()) {
      if (this.#bytes <= this.#maxBytes || silent === holder) return;
      this.leave(silent);
      silent.forget();
    }
  }

  leave(holder: Holder): void {
    this.#bytes -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
  }
}

/** An event that has no number in its session yet. */
export type ChatEventDraft = ChatEvent extends infer E
  ? E extends { event: infer Name; data: infer Data }
    ? { readonly event: Name; readonly data: Omit<Data, "sessionKey" | "seq"> }
    : never
  : never;

/**
 * Numbers a session's events from 1 and sends them to its listeners. Keeps the newest for clients that were
 * disconnected, within limits of count and size; the transcript has everything.
 */
export class Channel {
  /** Identifies this numbering: a session that was forgotten and is used again begins with 1. */
  readonly stream = uuidv7();
  readonly #sessionKey: string;
  readonly #limits: Limits;
  readonly #budget: EventBudget;
  readonly #listeners = new Set<(event: ChatEvent) => void>();
  #kept: { readonly event: ChatEvent; readonly bytes: number }[] = [];
  /**
   * Index of the oldest event that counts. Those before it are dropped in one go later, because removing the first of
   * an array moves all others.
   */
  #from = 0;
  #bytes = 0;
  #seq = 0;

  constructor(sessionKey: string, limits: Limits, budget: EventBudget) {
    this.#sessionKey = sessionKey;
    this.#limits = limits;
    this.#budget = budget;
  }

  get seq(): number {
    return this.#seq;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  emit({ event: name, data }: ChatEventDraft): void {
    this.#seq += 1;
    const event = { event: name, data: { ...data, sessionKey: this.#sessionKey, seq: this.#seq } } as ChatEvent;
    const bytes = Buffer.byteLength(JSON.stringify(event));
    this.#kept.push({ event, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#limits.chatEventBytes || this.#kept.length - this.#from > this.#limits.chatEvents) {
      this.#bytes -= this.#kept[this.#from]?.bytes ?? 0;
      this.#from += 1;
    }
    if (this.#from > this.#kept.length / 2) {
      this.#kept = this.#kept.slice(this.#from);
      this.#from = 0;
    }
    this.#budget.hold(this, this.#bytes);
    for (const listener of this.#listeners) listener(event);
  }

  /** Drops all events. The numbers continue. */
  forget(): void {
    this.#kept = [];
    this.#from = 0;
    this.#bytes = 0;
    this.#budget.leave(this);
  }

  /** Returns all events after a number. Undefined: some of them have been dropped. */
  since(after: number): ChatEvent[] | undefined {
    const missing = this.#seq - after;
    const kept = this.#kept.slice(this.#from);
    if (missing < 0 || missing > kept.length) return undefined;
    return kept.slice(kept.length - missing).map(({ event }) => event);
  }

  /** Returns a function that stops listening. A listener must not throw. */
  listen(listener: (event: ChatEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
