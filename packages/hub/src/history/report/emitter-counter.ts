import type { Figures } from "@countersign/protocol/records";
import { isWithin, Rows, type Span } from "./counters.ts";
import type { ReceiptFacts } from "./receipt-facts.ts";

type Incomplete = Figures["gaps"]["incomplete"][number];

/** Limit of open calls at a time. Over it the oldest are dropped and counted. */
const MAX_OPEN = 10_000;

/** Counts the frames of emitters. Only their sender and time of arrival are known to be true. */
export class EmitterCounter {
  readonly #span: Span;
  readonly #rows = new Rows((emitter) => ({ emitter, frames: 0, failed: 0, blocked: 0, unwatched: 0, dropped: 0 }));
  readonly #open = new Map<string, Incomplete>();
  forgotten = 0;

  constructor(span: Span) {
    this.#span = span;
  }

  note(noted: ReceiptFacts): void {
    const { atMs, chain, status, dropped, outside } = noted;
    if (atMs < this.#span.toMs) this.#pair(noted);
    if (!isWithin(this.#span, atMs)) return;
    // Two emitters can share a chain, but each has its own losses.
    const row = this.#rows.of(outside === null ? chain : `${chain} (egress)`);
    row.dropped += dropped;
    if (dropped > 0) return;
    row.frames += 1;
    if (outside === "blocked") row.blocked += 1;
    else if (status === "failure") row.failed += 1;
    if (outside === "unwatched") row.unwatched += 1;
  }

  /** Pairs by correlator within one chain, so that no emitter ends another's call. */
  #pair(noted: ReceiptFacts): void {
    const { correlation, action, status } = noted;
    if (correlation === null) return;
    if (action === "system.pty.open" && status === "success") this.#begin("incomplete_session", noted);
    else if (action === "system.pty.close") this.#open.delete(placeOf("incomplete_session", noted));
    if (status === "pending") this.#begin("incomplete_tool_roundtrip", noted);
    else this.#open.delete(placeOf("incomplete_tool_roundtrip", noted));
  }

  #begin(code: string, noted: ReceiptFacts): void {
    if (!isWithin(this.#span, noted.atMs)) return;
    const { seq, chain, correlation } = noted;
    this.#open.set(placeOf(code, noted), { code, seq, emitter: chain, subject: correlation ?? "" });
    const [oldest] = this.#open.keys();
    if (this.#open.size <= MAX_OPEN || oldest === undefined) return;
    this.#open.delete(oldest);
    this.forgotten += 1;
  }

  get emitters(): Figures["emitters"] {
    return this.#rows.listed;
  }

  get incomplete(): Incomplete[] {
    return [...this.#open.values()].sort((one, other) => one.seq - other.seq);
  }
}

function placeOf(code: string, { chain, correlation }: ReceiptFacts): string {
  return JSON.stringify([code, chain, correlation]);
}
