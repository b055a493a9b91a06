import type { Figures } from "@countersign/protocol/records";
import { Counts, Flow, isWithin, type Span } from "./counters.ts";
import { endedAs } from "./proposal-counter.ts";
import type { ReceiptFacts } from "./receipt-facts.ts";

/** Counts previews. */
export class PreviewCounter {
  readonly #span: Span;
  readonly #flow: Flow;
  readonly #as = new Counts();
  /** Start times by the proposal's key. A proposal has one preview at a time. */
  readonly #open = new Map<string, number>();

  constructor(span: Span) {
    this.#span = span;
    this.#flow = new Flow(span);
  }

  get open(): ReadonlySet<string> {
    return new Set(this.#open.keys());
  }

  note({ entry, proposal, said, atMs }: ReceiptFacts): void {
    const key = proposal ?? "";
    if (entry === "preview-decided") this.#open.set(key, atMs);
    const since = this.#open.get(key);
    if (entry !== "preview-ended" || since === undefined) return;
    this.#open.delete(key);
    const endMs = Math.max(since, atMs);
    this.#flow.pass(since, endMs);
    if (isWithin(this.#span, endMs)) this.#as.add(endedAs(said));
  }

  get figures(): Figures["previews"] {
    for (const since of this.#open.values()) this.#flow.pass(since, Number.POSITIVE_INFINITY);
    return { ...this.#flow.counts, as: this.#as.listed };
  }
}
