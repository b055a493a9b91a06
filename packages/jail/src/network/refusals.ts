/** What a network refused, for the outcome: each once, the first few, the rest counted. */
export class Refusals {
  readonly #kept = new Set<string>();
  readonly #most: number;
  #more = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(refusal: string): void {
    if (this.#kept.has(refusal)) return;
    if (this.#kept.size < this.#most) this.#kept.add(refusal);
    else this.#more++;
  }

  list(): string[] {
    return this.#more === 0 ? [...this.#kept] : [...this.#kept, `the jail refused ${this.#more} more connections`];
  }
}
