const MOST_KEPT = 10_000;

/** What a session or a context was made with. */
export interface Beginning {
  /** Empty: execd's own. */
  readonly directory: string;
  /** Of an isolated session: what of its files and its user isn't as without it, in words. Empty: nothing. */
  readonly made: string;
}

/** In which directory a session or a context began, and with what: told when it is made, and never again. */
export class BegunIn {
  readonly #beginnings = new Map<string, Beginning>();

  /** undefined: it was made before this proxy, or round it. */
  directoryOf(id: string): string | undefined {
    return this.#beginnings.get(id)?.directory;
  }

  /** The same. */
  madeOf(id: string): string | undefined {
    return this.#beginnings.get(id)?.made;
  }

  learn(id: string, beginning: Beginning): void {
    this.#beginnings.set(id, beginning);
    const oldest = this.#beginnings.keys().next().value;
    if (this.#beginnings.size > MOST_KEPT && oldest !== undefined) this.#beginnings.delete(oldest);
  }
}
