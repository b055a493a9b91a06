/** Ids in their order, which is that of their time: most are added at the end. */
export class SortedIds {
  readonly #ids: string[] = [];

  add(id: string): void {
    const at = this.#after(id);
    if (this.#ids[at - 1] !== id) this.#ids.splice(at, 0, id);
  }

  remove(id: string): void {
    const at = this.#after(id) - 1;
    if (this.#ids[at] === id) this.#ids.splice(at, 1);
  }

  /** The next ones after this id, which needn't be there any more. */
  next(after: string, limit: number): string[] {
    const at = this.#after(after);
    return this.#ids.slice(at, at + limit);
  }

  /** How many are up to this one. */
  #after(id: string): number {
    let low = 0;
    let high = this.#ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] as string) <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
