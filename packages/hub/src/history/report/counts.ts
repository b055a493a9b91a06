/** Names that others choose could be any number: past this many the rest is one. */
const MAX_NAMES = 1_000;
const OTHERS = "(others)";

/** How often each was seen. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    const key = this.#counts.has(name) || this.#counts.size < MAX_NAMES ? name : OTHERS;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The most first. */
  get listed(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)));
  }
}

/** A row for each name, made when it is first seen. */
export class Rows<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #make: (name: string) => Row;

  constructor(make: (name: string) => Row) {
    this.#make = make;
  }

  of(name: string): Row {
    const key = this.#rows.has(name) || this.#rows.size < MAX_NAMES ? name : OTHERS;
    const row = this.#rows.get(key) ?? this.#make(key);
    this.#rows.set(key, row);
    return row;
  }

  get listed(): Row[] {
    return [...this.#rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  }
}
