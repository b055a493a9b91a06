import type { Limits } from "@countersign/core/base";
import type { ChatEvent } from "@countersign/protocol/hub";
import { uuidv7 } from "uuidv7";

interface Holder {
  /** Its events are gone. */
  forget(): void;
}

/**
 * The room that the kept events of all sessions share: nobody fills the memory by talking in many. Who was silent for longest
 * loses theirs first.
 */
export class EventBudget {
  readonly #maxBytes: number;
  /** Who spoke last stands last. */
  readonly #held = new Map<Holder, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** So much it keeps now. */
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

/** What happened, before it has a place in the session's order. */
export type ChatEventDraft = ChatEvent extends infer E
  ? E extends { event: infer Name; data: infer Data }
    ? { readonly event: Name; readonly data: Omit<Data, "sessionKey" | "seq"> }
    : never
  : never;

/**
 * A session's events, numbered from 1, for all who listen. The newest are kept, so many and so large at the most, for those
 * who were away: what was said is in the transcript, this is only its coming about.
 */
export class Channel {
  /** Whose numbers these are: a session that was forgotten and is used again begins anew. */
  readonly stream = uuidv7();
  readonly #sessionKey: string;
  readonly #limits: Limits;
  readonly #budget: EventBudget;
  readonly #listeners = new Set<(event: ChatEvent) => void>();
  #kept: { readonly event: ChatEvent; readonly bytes: number }[] = [];
  /** Those before were dropped, and still stand in `#kept`: taking from the front of an array costs all of it. */
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

  /** What was kept is gone; the numbers go on. */
  forget(): void {
    this.#kept = [];
    this.#from = 0;
    this.#bytes = 0;
    this.#budget.leave(this);
  }

  /** All after that one; undefined when some of them are gone. */
  since(after: number): ChatEvent[] | undefined {
    const missing = this.#seq - after;
    const kept = this.#kept.slice(this.#from);
    if (missing < 0 || missing > kept.length) return undefined;
    return kept.slice(kept.length - missing).map(({ event }) => event);
  }

  /** Returns how to stop listening. A listener must not throw. */
  listen(listener: (event: ChatEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
