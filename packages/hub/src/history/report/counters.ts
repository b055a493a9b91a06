import type { ReportFlow } from "@countersign/protocol/records";

/** Counts arrivals and departures. In every span `before + entered = left + after`. */
export class Flow {
  readonly #span: Span;
  #before = 0;
  #entered = 0;
  #left = 0;
  #after = 0;

  constructor(span: Span) {
    this.#span = span;
  }

  /** Adds one that entered and left; infinity if it hasn't left. It must not leave before it entered. */
  pass(enteredMs: number, leftMs: number): void {
    const { fromMs, toMs } = this.#span;
    if (enteredMs < fromMs && leftMs >= fromMs) this.#before += 1;
    if (isWithin(this.#span, enteredMs)) this.#entered += 1;
    if (isWithin(this.#span, leftMs)) this.#left += 1;
    if (enteredMs < toMs && leftMs >= toMs) this.#after += 1;
  }

  get counts(): ReportFlow {
    return { before: this.#before, entered: this.#entered, left: this.#left, after: this.#after };
  }
}

/** Half-open: includes `fromMs`, excludes `toMs`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export function isWithin({ fromMs, toMs }: Span, atMs: number): boolean {
  return atMs >= fromMs && atMs < toMs;
}

/** Limit of names that others choose. Further ones are counted together. */
const MAX_NAMES = 1_000;
const OTHERS = "(others)";

/** Counts by name. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    const key = this.#counts.has(name) || this.#counts.size < MAX_NAMES ? name : OTHERS;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Highest count first. */
  get listed(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)));
  }
}

/** One row per name, made when it is first seen. */
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
