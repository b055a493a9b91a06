interface Holder {
  /** Its events are gone. */
  forget(): void;
}

/**
 * The room that the kept events of all sessions share: nobody fills the memory by talking in many. Who was silent for longest
 * loses theirs first.
 */
export class EventRoom {
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
