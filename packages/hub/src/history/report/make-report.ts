import type { Figures, Report } from "@countersign/protocol/records";
import { allReceipts, checkLedger, type LedgerCheck, type Store, type StoredReceipt } from "@countersign/store";
import { isWithin, type Span } from "./counters.ts";
import { notShown } from "./not-shown.ts";
import { ReportCounter } from "./report-counter.ts";

type Receipts = Pick<Store, "receipts" | "openProposals">;

const CUT =
  "That nothing was cut off at the end, and whose key signed it: countersign receipts verify, with --witness and --trust.";
const CLOCKS = "That what was written is true, that nothing else happened, or that the clocks were right.";

/** Makes a report of a span from the stored ledger. Each receipt is verified before it counts. */
export async function makeReport(store: Receipts, span: Span, nowMs: number): Promise<Report> {
  let last: StoredReceipt | undefined;
  const counter = new ReportCounter(span);
  const check = await checkLedger(allReceipts(store), (receipt) => {
    counter.note(receipt);
    last = receipt;
  });
  const figures = check.whole ? counter.figures() : await figuresBefore(check.seq, span, store);
  return {
    format: "countersign-report/1",
    span: { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString() },
    madeAt: new Date(nowMs).toISOString(),
    record: { ...recordOf(check), lastAt: last === undefined ? null : issuedAt(last) },
    unanswered: await unansweredIn(span, store),
    figures,
    notProved: [CUT, CLOCKS, ...notShown(figures)],
  };
}

/** Counts again up to the fault: signatures are checked in parallel, so receipts after it may have been counted. */
async function figuresBefore(seq: number, span: Span, store: Receipts): Promise<Figures> {
  const counter = new ReportCounter(span);
  for await (const receipt of allReceipts(store)) {
    if (receipt.seq >= seq) break;
    counter.note(receipt);
  }
  return counter.figures();
}

function recordOf(check: LedgerCheck): Omit<Report["record"], "lastAt"> {
  if (check.whole) return { whole: true, fault: null, receipts: check.count, head: check.head };
  const { code, seq, detail } = check;
  return { whole: false, fault: { code, seq, detail }, receipts: seq, head: null };
}

/** Counts pending proposals from the store, because only an answer is recorded in the ledger. */
export async function unansweredIn(span: Span, store: Pick<Store, "openProposals">): Promise<number> {
  const open = await store.openProposals();
  return open.filter(({ state, createdAtMs }) => state === "pending" && isWithin(span, createdAtMs)).length;
}

function issuedAt({ raw }: StoredReceipt): string {
  return (JSON.parse(raw) as { readonly issuanceDate: string }).issuanceDate;
}
