import { notShown, ReportCounter, type Span, unansweredIn } from "@countersign/hub";
import { type Figures, MAX_REPORTED, type Report } from "@countersign/protocol/records";
import type { ReceiptLine } from "@countersign/receipts";
import { openStoreToRead } from "@countersign/store";
import { type Verdict, type VerifyCommandOptions, verdictOn } from "../receipts/index.ts";
import { BundleSource, openSource, type Source, unreadable } from "../receipts/sources/index.ts";

export interface Counted {
  readonly report: Report;
  readonly verdict: Verdict;
  /** The receipts that the same figures follow from. */
  isChosen(view: ReceiptLine): boolean;
}

/** Counts while it verifies. `spanOf` may look at what is read: a report's bundle says what it is about. */
export async function countReport(
  options: VerifyCommandOptions,
  spanOf: (source: Source) => Span,
  nowMs: number,
): Promise<Counted> {
  let counting: Counting | undefined;
  const verdict = await verdictOn(undefined, options, (source) => {
    if (source.kind === "agent-receipts") throw notOurs(source.path);
    counting = new Counting(spanOf(source), source);
    return (receipt) => counting?.note(receipt);
  });
  const { span, tally, lastAt, isComplete } = counting as Counting;
  if (verdict.whole && verdict.tree === null) throw notOurs(verdict.source.path);
  // No figure rests on a column, a node or a checkpoint row.
  const isIndexed = verdict.fault?.code !== "INDEX_MISMATCH";
  const fault = isIndexed ? faultOf(verdict) : null;
  const figures = fault === null ? tally.figures() : await figuresBefore(verdict, span);
  const report: Report = {
    format: "countersign-report/1",
    span: { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString() },
    madeAt: new Date(nowMs).toISOString(),
    record: {
      ...{ whole: fault === null, fault, receipts: verdict.count, head: verdict.head, lastAt },
      trusted: verdict.trusted ?? "nobody",
    },
    unanswered: await unanswered(verdict, span),
    figures,
    notProved: [
      ...(isComplete ? complete(verdict) : verdict.notProved),
      ...(isIndexed ? [] : [UNINDEXED]),
      ...notShown(figures),
    ],
  };
  return { report, verdict, isChosen: tally.selection() };
}

function faultOf({ fault }: Verdict): Report["record"]["fault"] {
  return fault && { code: fault.code, seq: fault.seq, detail: fault.detail };
}

class Counting {
  readonly span: Span;
  readonly tally: ReportCounter;
  readonly #isSelection: boolean;
  readonly #seqs: number[] = [];
  #last: Uint8Array | undefined;

  constructor(span: Span, source: Source) {
    this.span = span;
    this.tally = new ReportCounter(span);
    this.#isSelection = source instanceof BundleSource && source.bundle.selection;
  }

  note({ seq, raw }: { readonly seq: number; readonly raw: Uint8Array }): void {
    this.tally.note({ seq, raw: Buffer.from(raw).toString() });
    this.#last = raw;
    if (this.#isSelection) this.#seqs.push(seq);
  }

  get lastAt(): string | null {
    if (this.#last === undefined) return null;
    return (JSON.parse(Buffer.from(this.#last).toString()) as { readonly issuanceDate: string }).issuanceDate;
  }

  /** Of a selection: whether it holds everything from the span's first receipt to its last. */
  get isComplete(): boolean {
    const { firstSeq, lastSeq } = this.tally.range;
    const held = this.#seqs.filter((seq) => seq >= firstSeq && seq <= lastSeq).length;
    return this.#isSelection && held > 0 && held === lastSeq - firstSeq + 1;
  }
}

const UNINDEXED =
  "That searches in this store find everything: what it keeps next to the receipts was changed. See: countersign receipts verify";

/** Where places in the ledger are proved, what has no gap lacks nothing. */
function complete({ notProved, unplaced }: Verdict): string[] {
  const renumbered = `or that none of the ${unplaced} which no checkpoint covers was left out and the rest renumbered`;
  const outside =
    unplaced === 0
      ? "That nothing before or after these receipts belongs to the span: between them none is missing."
      : `That nothing before or after these receipts belongs to the span, ${renumbered}: by their numbers, between them none is missing.`;
  return notProved.map((line) => (line.startsWith("That no other receipts belong") ? outside : line));
}

/** Signatures are checked in parallel, so some behind the fault were counted: those before it are counted alone. */
async function figuresBefore({ source, fault }: Verdict, span: Span): Promise<Figures> {
  const tally = new ReportCounter(span);
  const again = openSource(source.path);
  try {
    let index = 0;
    for await (const items of again.batches()) {
      for (const { seq, raw } of items) {
        if (index >= (fault?.index ?? 0)) return tally.figures();
        tally.note({ seq: seq ?? index + 1, raw: Buffer.from(raw).toString() });
        index += 1;
      }
    }
    return tally.figures();
  } finally {
    again.close?.();
  }
}

/** Receipts don't tell of what nobody has answered; only a store does. */
async function unanswered({ source }: Verdict, span: Span): Promise<number | null> {
  const store = source.kind === "countersign" ? await openStoreToRead(source.path) : undefined;
  if (store === undefined) return null;
  try {
    return await unansweredIn(span, store);
  } finally {
    await store.close();
  }
}

function notOurs(path: string): Error {
  return unreadable(`${path} has no ledger of Countersign's.`);
}

/** For lists that end somewhere. */
export function leftOutOf(figures: Figures, names: readonly string[]): string[] {
  const count = names.reduce((sum, name) => sum + (figures.leftOut[name] ?? 0), 0);
  return count === 0 ? [] : [`and ${count} more than the ${MAX_REPORTED} that are listed`];
}
