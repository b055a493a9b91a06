const MOST_KEPT = 10_000;

/** In which directory a session or a context began: told when it is made, and never again. */
export class BegunIn {
  readonly #directories = new Map<string, string>();

  /** Empty: execd's own. undefined: it was made before this proxy, or round it. */
  directoryOf(id: string): string | undefined {
    return this.#directories.get(id);
  }

  learn(id: string, directory: string): void {
    this.#directories.set(id, directory);
    const oldest = this.#directories.keys().next().value;
    if (this.#directories.size > MOST_KEPT && oldest !== undefined) this.#directories.delete(oldest);
  }
}
