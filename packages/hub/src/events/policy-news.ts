/** Tells who watches that a policy isn't what it was: they look again. What changed is theirs to ask for, as far as they may. */
export class PolicyNews {
  readonly #listeners = new Set<() => void>();

  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
