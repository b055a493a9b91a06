import { type Figures, MAX_REPORTED, type ReportDown, type ReportEvent } from "@countersign/protocol/records";
import type { StoredReceipt } from "@countersign/store";
import { Counts, Flow, isWithin, type Span } from "./counters.ts";
import { EmitterCounter } from "./emitter-counter.ts";
import { endedAs, ProposalCounter } from "./proposal-counter.ts";
import { type ReceiptFacts, readReceiptFacts } from "./receipt-facts.ts";

/** Receipts of frames wait a moment for their batch. A larger step back means that the clock was set back. */
const CLOCK_SLACK_MS = 10_000;
const MAX_ADDRESSES = 100;

/** Counted elsewhere in the report. */
const STEPS = new Set(["decided", "started", "ended", "preview-decided", "preview-ended", "checkpoint"]);
const HUB = new Set(["ledger-opened", "hub-up", "hub-down"]);

/**
 * Counts what happened in a span from verified receipts in ledger order, and nothing else. It doesn't verify them
 * itself.
 */
export class ReportCounter {
  readonly #span: Span;
  readonly #byType = new Counts();
  readonly #proposals: ProposalCounter;
  readonly #previews: PreviewCounter;
  readonly #emitters: EmitterCounter;
  readonly #hub: HubCounter;
  readonly #leftOut = new Counts();
  readonly #events: ReportEvent[] = [];
  readonly #epochs: ReportEvent[] = [];
  readonly #odd: Figures["gaps"]["odd"] = [];
  readonly #addresses = new Set<string>();
  readonly #clock = { count: 0, largestMs: 0, firstSeq: null as number | null };
  #authFailures = 0;
  #recordBegins: string | null = null;
  #before: ReceiptFacts | undefined;
  /** Receipts outside of the span that a recount needs. */
  #needed: Needed | undefined;
  #lastSeq = 0;
  readonly #answeredLater = new Set<number>();

  constructor(span: Span) {
    this.#span = span;
    this.#proposals = new ProposalCounter(span, (code, seq, atMs) => {
      if (isWithin(span, atMs)) this.#list(this.#odd, { code, seq }, "odd");
    });
    this.#previews = new PreviewCounter(span);
    this.#emitters = new EmitterCounter(span);
    this.#hub = new HubCounter(span);
  }

  /** Takes the next receipt of the ledger, or of those that `selection` chose. */
  note({ seq, raw }: StoredReceipt): void {
    const noted = readReceiptFacts(raw, seq);
    const atMs = this.#proposals.timeOf(noted);
    if (atMs >= this.#span.fromMs) this.#begin(seq);
    if (atMs < this.#span.toMs) this.#lastSeq = seq;
    else if (this.#wasProposedBefore(noted)) this.#answeredLater.add(seq);
    if (isWithin(this.#span, atMs)) this.#count(noted);
    if (noted.entry === null) this.#emitters.note(noted);
    else this.#proposals.note(noted, atMs);
    this.#previews.note(noted);
    this.#hub.note(atMs === noted.atMs ? noted : { ...noted, atMs, at: new Date(atMs).toISOString() });
    if (seq === 1 && noted.atMs > this.#span.fromMs) this.#recordBegins = noted.at;
    this.#before = noted;
  }

  #begin(seq: number): void {
    if (this.#needed !== undefined) return;
    const keys = new Set([...this.#proposals.open, ...this.#previews.open]);
    const before = this.#before === undefined ? [] : [this.#before.seq];
    this.#needed = { firstSeq: seq, keys, seqs: new Set([...before, ...this.#hub.needed]) };
  }

  #wasProposedBefore({ entry, said }: ReceiptFacts): boolean {
    return entry === "decided" && typeof said.proposedAtMs === "number" && said.proposedAtMs < this.#span.toMs;
  }

  #count(noted: ReceiptFacts): void {
    const { entry, seq, atMs, dropped } = noted;
    this.#byType.add(entry ?? (dropped > 0 ? "drops" : "frame"));
    this.#watchClock(seq, atMs);
    if (entry === null || STEPS.has(entry) || HUB.has(entry)) return;
    if (entry === "auth-failed") this.#countFailures(noted);
    else if (entry === "epoch-opened") this.#list(this.#epochs, eventOf(noted), "epochs");
    else this.#list(this.#events, eventOf(noted), entry);
  }

  #watchClock(seq: number, atMs: number): void {
    const backMs = this.#before?.seq === seq - 1 ? this.#before.atMs - atMs : 0;
    if (backMs <= CLOCK_SLACK_MS) return;
    this.#clock.count += 1;
    this.#clock.largestMs = Math.max(this.#clock.largestMs, backMs);
    this.#clock.firstSeq ??= seq;
  }

  #countFailures({ said: { count, addresses } }: ReceiptFacts): void {
    this.#authFailures += typeof count === "number" ? count : 1;
    for (const address of Array.isArray(addresses) ? addresses : []) {
      if (this.#addresses.size < MAX_ADDRESSES) this.#addresses.add(String(address));
    }
  }

  #list<T>(list: T[], one: T, name: string): void {
    if (list.length < MAX_REPORTED) list.push(one);
    else this.#leftOut.add(name);
  }

  /** Call once after the last receipt. */
  figures(): Figures {
    this.#hub.end();
    const incomplete = this.#emitters.incomplete;
    const tooMany = Math.max(0, incomplete.length - MAX_REPORTED) + this.#emitters.forgotten;
    if (tooMany > 0) this.#leftOut.add("incomplete", tooMany);
    if (this.#hub.leftOut > 0) this.#leftOut.add("downs", this.#hub.leftOut);
    return {
      receipts: { count: this.#byType.total, byType: this.#byType.listed },
      ...this.#proposals.figures,
      previews: this.#previews.figures,
      emitters: this.#emitters.emitters,
      authFailures: { count: this.#authFailures, addresses: [...this.#addresses] },
      events: this.#events,
      gaps: {
        recordBegins: this.#recordBegins,
        epochs: this.#epochs,
        downs: this.#hub.downs,
        clock: this.#clock,
        incomplete: incomplete.slice(0, MAX_REPORTED),
        odd: this.#odd,
      },
      leftOut: this.#leftOut.listed,
    };
  }

  /** Sequence numbers of the span's first and last receipt. `lastSeq` is lower if there are none. */
  get range(): { readonly firstSeq: number; readonly lastSeq: number } {
    return { firstSeq: this.#needed?.firstSeq ?? Number.POSITIVE_INFINITY, lastSeq: this.#lastSeq };
  }

  /** Returns a filter for the receipts that give the same figures. Call after the last receipt. */
  selection(): (receipt: { readonly seq: number; readonly proposal: string | null }) => boolean {
    this.#begin(Number.POSITIVE_INFINITY);
    const { firstSeq, keys, seqs } = this.#needed as Needed;
    const later = new Set([...this.#answeredLater, ...this.#hub.cameLater]);
    return ({ seq, proposal }) =>
      (seq >= firstSeq && seq <= this.#lastSeq) ||
      seqs.has(seq) ||
      later.has(seq) ||
      (seq < firstSeq && proposal !== null && keys.has(proposal));
  }
}

interface Needed {
  readonly firstSeq: number;
  readonly keys: ReadonlySet<string>;
  readonly seqs: ReadonlySet<number>;
}

function eventOf({ seq, at, entry, action, session, said }: ReceiptFacts): ReportEvent {
  return { seq, at, type: entry ?? action, session, said: { ...said } };
}

/** Counts when the hub was down: from its goodbye, or after a crash from its last receipt, until the next start. */
class HubCounter {
  readonly #span: Span;
  readonly downs: ReportDown[] = [];
  /** Number of further times that aren't listed. */
  leftOut = 0;
  /** Starts after the span, which show that the hub had crashed in it. */
  readonly cameLater: number[] = [];
  #isUp = false;
  #downSince: ReceiptFacts | undefined;
  #lastWord: ReceiptFacts | undefined;
  #lastChange: ReceiptFacts | undefined;

  constructor(span: Span) {
    this.#span = span;
  }

  /** Sequence numbers of the hub's last receipt and last start or stop. They are needed to know its state. */
  get needed(): number[] {
    return [this.#lastWord, this.#downSince ?? this.#lastChange].flatMap((noted) => noted?.seq ?? []);
  }

  note(noted: ReceiptFacts): void {
    const { entry } = noted;
    // A separate recorder goes on signing checkpoints when the hub is down.
    if (entry === null || entry === "checkpoint") return;
    if (entry === "hub-up") this.#up(noted);
    if (entry === "hub-down") this.#downSince ??= noted;
    if (entry === "hub-up" || entry === "hub-down") {
      this.#isUp = entry === "hub-up";
      this.#lastChange = noted;
    }
    this.#lastWord = noted;
  }

  #up(noted: ReceiptFacts): void {
    if (this.#downSince !== undefined) this.#list(this.#downSince, noted, "stopped");
    else if (this.#isUp && this.#lastWord !== undefined) this.#list(this.#lastWord, noted, "crashed");
    this.#downSince = undefined;
  }

  /** Call after the last receipt. */
  end(): void {
    if (this.#downSince !== undefined) this.#list(this.#downSince, undefined, "stopped");
  }

  #list(since: ReceiptFacts, until: ReceiptFacts | undefined, how: ReportDown["how"]): void {
    const { fromMs, toMs } = this.#span;
    const untilMs = until?.atMs ?? Number.POSITIVE_INFINITY;
    if (since.atMs >= toMs || untilMs < fromMs || untilMs <= since.atMs) return;
    if (how === "crashed" && until !== undefined && untilMs >= toMs) this.cameLater.push(until.seq);
    if (this.downs.length >= MAX_REPORTED) this.leftOut += 1;
    else this.downs.push({ from: since.at, to: untilMs >= toMs ? null : (until?.at ?? null), how });
  }
}

/** Counts previews. */
class PreviewCounter {
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
