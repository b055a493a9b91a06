import type { Clock, Log } from "@countersign/core/base";
import type { Outcome } from "@countersign/protocol/proposals";
import type { ApprovalRecord, ProposalRecord, Store, Write } from "@countersign/store";
import { RestoredSubject, redactClosedCard } from "../approvals/index.ts";
import type { Assessment, Assessor } from "../proposals/index.ts";
import { answeredDecisionWrites, endedDraft, endedFields, proposalFromRecord } from "../record/index.ts";
import { endInterruptedPreviews } from "../runs/index.ts";
import type { OpenProposals } from "./open-proposals.ts";
import type { Pipeline } from "./pipeline.ts";

const PAGE = 1_000;
/** Overdue approvals that are judged, and held in memory, at the same time. */
const DENIED_AT_ONCE = 256;

interface Overdue {
  readonly record: ProposalRecord;
  readonly subject: RestoredSubject;
  readonly approval: ApprovalRecord;
}

/** Takes up what an earlier hub on this store left. */
export class Recovery {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #assessor: Assessor;
  readonly #pipeline: Pipeline;
  readonly #openProposals: OpenProposals;

  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly log: Log;
    readonly assessor: Assessor;
    readonly pipeline: Pipeline;
    readonly openProposals: OpenProposals;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#assessor = options.assessor;
    this.#pipeline = options.pipeline;
    this.#openProposals = options.openProposals;
  }

  /**
   * After a crash, before any door opens: what may have run is recorded as interrupted, what was allowed but not started
   * is not started, what was tried out was interrupted, and what waited goes on waiting, with 10 s for a proposer whose connection died with the hub.
   * `left` tells what interrupted runs left that starts code.
   */
  async run(left: ReadonlyMap<string, string>): Promise<void> {
    const [store, clock, log] = [this.#store, this.#clock, this.#log];
    await withdrawPolicyQuestions(store);
    await endInterruptedPreviews({ store, clock, log });
    let overdue: Overdue[] = [];
    for (const record of await store.openProposals()) {
      if (record.state === "started") {
        const words = ["The hub stopped between the start and the end", left.get(record.key)];
        const reason = words.filter((one) => one !== undefined).join(". ");
        await this.#end(record, { kind: "interrupted", reason });
      } else if (record.state === "decided") {
        await this.#end(record, { kind: "not-started", reason: "The hub stopped between the decision and the start" });
      } else {
        const late = await this.#goOnWaiting(record);
        if (late) overdue.push(late);
      }
      if (overdue.length < DENIED_AT_ONCE) continue;
      await this.#denyOverdue(overdue);
      overdue = [];
    }
    await this.#denyOverdue(overdue);
  }

  /** Undefined once it is pending again or has ended; overdue approvals are returned, to be denied together. */
  async #goOnWaiting(record: ProposalRecord): Promise<Overdue | undefined> {
    const approval = record.approvalId === null ? null : await this.#store.approval(record.approvalId);
    const stored = proposalFromRecord(record);
    if (approval?.state !== "pending" || !Number.isFinite(approval.expiresAtMs) || !stored) {
      await this.#end(record, unreadable(), approval);
      return undefined;
    }
    const subject = new RestoredSubject(stored, approval, { assessor: this.#assessor, store: this.#store });
    const liveMs = timeLeft(approval, record, this.#clock);
    if (liveMs === 0) return { record, subject, approval };
    const open = this.#openProposals.start(stored.proposal, (caller) =>
      this.#pipeline.resume({ subject, approval, liveMs }, caller),
    );
    this.#openProposals.expectReturn(open);
    return undefined;
  }

  /** Judges them all, then denies them in one transaction: the store groups commits that come in one turn of the event loop. */
  async #denyOverdue(overdue: readonly Overdue[]): Promise<void> {
    const judged = await Promise.all(overdue.map((one) => one.subject.assessment().catch(() => undefined)));
    await Promise.all(overdue.map((one, index) => this.#denyOne(one, judged[index])));
  }

  /** The deadline passed while the hub was down. Deny: `askFallback` applies only if somebody could have answered. */
  async #denyOne({ record, approval }: Overdue, assessment: Assessment | undefined): Promise<void> {
    if (!assessment) return await this.#end(record, unreadable(), approval);
    const by = approval.deliveredAtMs === null ? "undelivered" : "timeout";
    const reason = "The deadline passed while the hub was down";
    const decision = { ...assessment.decision, verdict: "deny", by, reason } as const;
    const answerer = { approvalId: approval.id };
    const writes = answeredDecisionWrites({ assessment, decision, atMs: this.#clock.wallMs(), answerer });
    await this.#store.commit([
      {
        op: "close-approval",
        id: approval.id,
        state: "expired",
        resolution: { how: "expired", reason },
        ...redactClosedCard(approval),
      },
      ...writes,
    ]);
  }

  async #end(record: ProposalRecord, outcome: Outcome, approval?: ApprovalRecord | null): Promise<void> {
    const { key, sessionId, state, command } = record;
    const atMs = this.#clock.wallMs();
    const writes: Write[] = approval?.state === "pending" ? [closing(approval, outcome.reason ?? "")] : [];
    writes.push(
      {
        op: "advance-proposal",
        key,
        from: state,
        to: "ended",
        set: endedFields({ ...record, ...proposalFromRecord(record)?.proposal }, outcome, atMs),
      },
      {
        op: "append",
        draft: endedDraft({ sessionId, proposalKey: key, command }, outcome, { atMs, reportedBy: "hub" }),
      },
    );
    await this.#store.commit(writes);
    this.#log.warn({ proposal: key, outcome: outcome.kind }, outcome.reason ?? "");
  }
}

/** Frozen edits are looked at afresh at every start, and asked about again. */
async function withdrawPolicyQuestions(store: Store): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const page = await store.pendingApprovals({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    const stale = page.filter((approval) => approval.subject === "policy");
    await Promise.all(stale.map((one) => store.commit([closing(one, "The hub was restarted; it is asked again")])));
    if (page.length < PAGE) return;
    after = page.at(-1)?.id;
  }
}

function unreadable(): Outcome {
  return { kind: "denied", by: "timeout", reason: "The stored question can't be read after a restart" };
}

/** A wall clock that was set back while the hub was down must not lengthen a deadline. */
function timeLeft(approval: ApprovalRecord, record: ProposalRecord, clock: Clock): number {
  const granted = approval.expiresAtMs - record.createdAtMs;
  return Math.max(0, Math.min(approval.expiresAtMs - clock.wallMs(), granted));
}

function closing(approval: ApprovalRecord, reason: string): Write {
  const resolution = { how: "cancelled", reason };
  return { op: "close-approval", id: approval.id, state: "cancelled", resolution, ...redactClosedCard(approval) };
}
