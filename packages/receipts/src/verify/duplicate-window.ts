/**
 * Where things were seen, for a bounded number of them. In two generations, the older of which is forgotten at once: a
 * Map that lost its oldest entry each time would be walked past all those it has lost.
 */
export class DuplicateWindow {
  readonly #most: number;
  #young = new Map<string, number>();
  #old = new Map<string, number>();

  /** At least half of `most` are remembered, and never more than `most`. */
  constructor(most: number) {
    this.#most = most;
  }

  has(subject: string): boolean {
    return this.#young.has(subject) || this.#old.has(subject);
  }

  set(subject: string, index: number): void {
    if (this.#young.size >= this.#most / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#old.delete(subject);
    this.#young.set(subject, index);
  }

  delete(subject: string): void {
    if (!this.#young.delete(subject)) this.#old.delete(subject);
  }

  entries(): [subject: string, index: number][] {
    return [...this.#old, ...this.#young];
  }
}
