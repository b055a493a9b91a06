import type { Figures, ReportApprover } from "@countersign/protocol/records";
import { REFUSED_OUTCOMES, type RefusedOutcome } from "@countersign/vocabulary";
import { refusalKind } from "../../record/index.ts";
import { Counts, Flow, isWithin, Rows, type Span } from "./counters.ts";
import { type ReceiptFacts, word } from "./receipt-facts.ts";

/** A proposal that was decided and hasn't ended. */
interface Open {
  readonly stage: "allowed" | "started" | "refused";
  /** When it reached this stage. */
  readonly sinceMs: number;
  readonly agent: string;
}

type Oddity = "DECIDED_TWICE" | "STARTED_UNDECIDED" | "ENDED_UNDECIDED";

const REFUSALS = new Set<unknown>(REFUSED_OUTCOMES);

/** Counts proposals from decision to end. Keeps only the open ones. */
export class ProposalCounter {
  readonly #span: Span;
  readonly #open = new Map<string, Open>();
  readonly #waiting: Flow;
  readonly #permitted: Flow;
  readonly #running: Flow;
  readonly #refused = { denied: 0, expired: 0, cancelled: 0 };
  readonly #allowedBy = new Counts();
  readonly #deniedBy = new Counts();
  readonly #risk = new Counts();
  readonly #enforcement = new Counts();
  readonly #neverStarted = new Counts();
  readonly #endedAs = new Counts();
  readonly #reportedBy = new Counts();
  readonly #people = new ApproverCounter();
  readonly #agents = new Rows((agent) => ({ ...{ agent, allowed: 0, asked: 0, refused: 0 }, ...NOTHING_RAN }));
  #started = 0;
  readonly #odd: (code: Oddity, seq: number, atMs: number) => void;

  constructor(span: Span, odd: (code: Oddity, seq: number, atMs: number) => void) {
    this.#span = span;
    this.#odd = odd;
    this.#waiting = new Flow(span);
    this.#permitted = new Flow(span);
    this.#running = new Flow(span);
  }

  /** Keys of the open proposals. */
  get open(): ReadonlySet<string> {
    return new Set(this.#open.keys());
  }

  /**
   * Never returns a time before the last step's, even if the clock was set back. Otherwise the counts wouldn't add up.
   */
  timeOf({ entry, atMs, proposal, said }: ReceiptFacts): number {
    if (entry === "decided") return Math.max(atMs, proposedMs(said) ?? atMs);
    const isStep = entry === "started" || entry === "ended";
    return isStep ? Math.max(atMs, this.#open.get(proposal ?? "")?.sinceMs ?? atMs) : atMs;
  }

  /** `atMs` is the result of `timeOf`. */
  note(noted: ReceiptFacts, atMs: number): void {
    if (noted.entry === "decided") this.#decide(noted, atMs);
    else if (noted.entry === "started") this.#start(noted, atMs);
    else if (noted.entry === "ended") this.#end(noted, atMs);
  }

  #decide({ seq, said, proposal }: ReceiptFacts, atMs: number): void {
    const key = proposal ?? "";
    if (this.#open.has(key)) this.#odd("DECIDED_TWICE", seq, atMs);
    const since = proposedMs(said);
    this.#waiting.pass(since ?? atMs, atMs);
    const agent = word(said.agent) ?? "";
    const isAllowed = said.verdict === "allow";
    this.#open.set(key, { stage: isAllowed ? "allowed" : "refused", sinceMs: atMs, agent });
    if (!isWithin(this.#span, atMs)) return;
    const row = this.#agents.of(agent);
    if (isAllowed) row.allowed += 1;
    else row.refused += 1;
    if (said.approvalId !== undefined) {
      row.asked += 1;
      row.waitedMs += since === undefined ? 0 : atMs - since;
    }
    const by = word(said.by) ?? "unknown";
    if (isAllowed) {
      this.#allowedBy.add(by);
      this.#risk.add(word(said.riskLevel) ?? "unknown");
      this.#enforcement.add(word(said.enforcement) ?? "unknown");
    } else this.#refuse(refusalKind(by), by);
    this.#people.note(said, since === undefined ? null : atMs - since);
  }

  #refuse(kind: RefusedOutcome, by: string): void {
    this.#refused[kind] += 1;
    if (kind === "denied") this.#deniedBy.add(by);
  }

  #start({ seq, proposal }: ReceiptFacts, atMs: number): void {
    const key = proposal ?? "";
    const open = this.#open.get(key);
    if (open?.stage !== "allowed") return this.#odd("STARTED_UNDECIDED", seq, atMs);
    this.#permitted.pass(open.sinceMs, atMs);
    if (isWithin(this.#span, atMs)) this.#started += 1;
    this.#open.set(key, { ...open, stage: "started", sinceMs: atMs });
  }

  #end({ seq, proposal, said }: ReceiptFacts, atMs: number): void {
    const key = proposal ?? "";
    const open = this.#open.get(key);
    if (open === undefined) return this.#endUndecided(seq, said, atMs);
    this.#open.delete(key);
    if (open.stage === "allowed") {
      this.#permitted.pass(open.sinceMs, atMs);
      if (isWithin(this.#span, atMs)) this.#neverStarted.add(word(said.kind) ?? "unknown");
    } else if (open.stage === "started") {
      this.#running.pass(open.sinceMs, atMs);
      if (isWithin(this.#span, atMs)) this.#countEnd(said, open.agent);
    }
  }

  #countEnd(said: ReceiptFacts["said"], agent: string): void {
    const as = endedAs(said);
    this.#endedAs.add(as);
    this.#reportedBy.add(word(said.reportedBy) ?? "unknown");
    const row = this.#agents.of(agent);
    row.ended += 1;
    if (as !== "succeeded") row.failed += 1;
  }

  /** A question that couldn't be read after a restart ends without a decision. It counts as refused. */
  #endUndecided(seq: number, { kind, by }: ReceiptFacts["said"], atMs: number): void {
    this.#odd("ENDED_UNDECIDED", seq, atMs);
    if (!REFUSALS.has(kind)) return;
    this.#waiting.pass(atMs, atMs);
    if (isWithin(this.#span, atMs)) this.#refuse(kind as "denied", word(by) ?? "unknown");
  }

  get figures(): Pick<Figures, "waiting" | "decided" | "permitted" | "running" | "agents" | "approvers"> {
    for (const { stage, sinceMs } of this.#open.values()) {
      if (stage === "allowed") this.#permitted.pass(sinceMs, Number.POSITIVE_INFINITY);
      else if (stage === "started") this.#running.pass(sinceMs, Number.POSITIVE_INFINITY);
    }
    return {
      waiting: this.#waiting.counts,
      decided: {
        allowed: this.#allowedBy.total,
        ...this.#refused,
        allowedBy: this.#allowedBy.listed,
        deniedBy: this.#deniedBy.listed,
        allowedRisk: this.#risk.listed,
        allowedEnforcement: this.#enforcement.listed,
      },
      permitted: { ...this.#permitted.counts, started: this.#started, neverStarted: this.#neverStarted.listed },
      running: { ...this.#running.counts, as: this.#endedAs.listed, reportedBy: this.#reportedBy.listed },
      agents: this.#agents.listed,
      approvers: this.#people.listed,
    };
  }
}

const NOTHING_RAN = { ended: 0, failed: 0, waitedMs: 0 };

/** Undefined for old receipts, which don't hold it. */
function proposedMs({ proposedAtMs }: ReceiptFacts["said"]): number | undefined {
  return typeof proposedAtMs === "number" ? proposedAtMs : undefined;
}

export function endedAs({ kind, exitCode }: ReceiptFacts["said"]): string {
  if (kind !== "exited") return word(kind) ?? "unknown";
  return exitCode === 0 ? "succeeded" : "failed";
}

/** Limit of answers per person for the median. Only the first ones count. */
const MAX_WAITS = 10_000;

/** Counts answers by person: device, assurance and time. */
class ApproverCounter {
  readonly #rows = new Rows((name) => ({ name, allowed: 0, denied: 0, slowestMs: -1, waits: [] as number[] }));

  note({ person, device, assurance, verdict }: ReceiptFacts["said"], waitedMs: number | null): void {
    if (typeof person !== "string") return;
    const row = this.#rows.of(JSON.stringify([person, word(device), word(assurance)]));
    if (verdict === "allow") row.allowed += 1;
    else row.denied += 1;
    if (waitedMs === null) return;
    row.slowestMs = Math.max(row.slowestMs, waitedMs);
    if (row.waits.length < MAX_WAITS) row.waits.push(waitedMs);
  }

  get listed(): ReportApprover[] {
    return this.#rows.listed.map(({ name, allowed, denied, slowestMs, waits }) => {
      const [person, device, assurance] = name.startsWith("[") ? JSON.parse(name) : [name, null, null];
      const times = { medianMs: median(waits), slowestMs: waits.length === 0 ? null : slowestMs };
      return { person, device, assurance, allowed, denied, ...times };
    });
  }
}

/** Returns the lower one of two middle values, so that it is a real time. */
function median(values: readonly number[]): number | null {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length / 2) - 1] ?? null;
}
