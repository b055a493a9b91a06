import type { Clock, Log } from "@countersign/core/base";
import type { Outcome } from "@countersign/protocol/proposals";
import type { ApprovalRecord, ProposalRecord, Store, Write } from "@countersign/store";
import { keptOf, RestoredSubject } from "../approvals/index.ts";
import type { Considered } from "../proposals/index.ts";
import { answeredDecisionWrites, endedDraft, endedFields, proposalFromRecord } from "../record/index.ts";
import { endInterruptedPreviews } from "../runs/index.ts";
import type { Flights } from "./flights.ts";
import { type PipelineRooms, resumePipeline } from "./pipeline.ts";

const PAGE = 1_000;
/** Overdue approvals that are judged, and held in memory, at the same time. */
const DENIED_AT_ONCE = 256;

interface Overdue {
  readonly record: ProposalRecord;
  readonly subject: RestoredSubject;
  readonly approval: ApprovalRecord;
}

/**
 * After a crash, before any door opens: what may have run is recorded as interrupted, what was allowed but not started
 * is not started, what was tried out was interrupted, and what waited goes on waiting, with 10 s for a proposer whose connection died with the hub.
 * `left` tells what interrupted runs left that starts code.
 */
export async function recover(
  rooms: PipelineRooms,
  flights: Flights,
  left: ReadonlyMap<string, string>,
): Promise<void> {
  await withdrawPolicyQuestions(rooms);
  await endInterruptedPreviews(rooms);
  let overdue: Overdue[] = [];
  for (const record of await rooms.store.openProposals()) {
    if (record.state === "started") {
      const words = ["The hub stopped between the start and the end", left.get(record.key)];
      const reason = words.filter((one) => one !== undefined).join(". ");
      await end(record, { kind: "interrupted", reason }, rooms);
    } else if (record.state === "decided") {
      await end(record, { kind: "not-started", reason: "The hub stopped between the decision and the start" }, rooms);
    } else {
      const late = await goOnWaiting(record, rooms, flights);
      if (late) overdue.push(late);
    }
    if (overdue.length < DENIED_AT_ONCE) continue;
    await denyOverdue(overdue, rooms);
    overdue = [];
  }
  await denyOverdue(overdue, rooms);
}

/** Frozen edits are looked at afresh at every start, and asked about again. */
async function withdrawPolicyQuestions({ store }: { store: Store }): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const page = await store.pendingApprovals({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    const stale = page.filter((approval) => approval.subject === "policy");
    await Promise.all(stale.map((one) => store.commit([closing(one, "The hub was restarted; it is asked again")])));
    if (page.length < PAGE) return;
    after = page.at(-1)?.id;
  }
}

/** Undefined once it is pending again or has ended; overdue approvals are returned, to be denied together. */
async function goOnWaiting(
  record: ProposalRecord,
  rooms: PipelineRooms,
  flights: Flights,
): Promise<Overdue | undefined> {
  const approval = record.approvalId === null ? null : await rooms.store.approval(record.approvalId);
  const stored = proposalFromRecord(record);
  if (approval?.state !== "pending" || !Number.isFinite(approval.expiresAtMs) || !stored) {
    await end(record, unreadable(), rooms, approval);
    return undefined;
  }
  const subject = new RestoredSubject(stored, approval, rooms);
  const liveMs = timeLeft(approval, record, rooms.clock);
  if (liveMs === 0) return { record, subject, approval };
  const flight = flights.start(stored.proposal, (control) =>
    resumePipeline({ subject, approval, liveMs }, rooms, control),
  );
  flights.expectReturn(flight);
  return undefined;
}

function unreadable(): Outcome {
  return { kind: "denied", by: "timeout", reason: "The stored question can't be read after a restart" };
}

/** Judges them all, then denies them in one transaction: the store groups commits that come in one turn of the event loop. */
async function denyOverdue(overdue: readonly Overdue[], rooms: PipelineRooms): Promise<void> {
  const judged = await Promise.all(overdue.map((one) => one.subject.considered().catch(() => undefined)));
  await Promise.all(overdue.map((one, index) => denyOne(one, judged[index], rooms)));
}

/** The deadline passed while the hub was down. Deny: `askFallback` applies only if somebody could have answered. */
async function denyOne(
  { record, approval }: Overdue,
  considered: Considered | undefined,
  rooms: PipelineRooms,
): Promise<void> {
  if (!considered) return await end(record, unreadable(), rooms, approval);
  const by = approval.deliveredAtMs === null ? "undelivered" : "timeout";
  const reason = "The deadline passed while the hub was down";
  const decision = { ...considered.decision, verdict: "deny", by, reason } as const;
  const answerer = { approvalId: approval.id };
  const writes = answeredDecisionWrites({ considered, decision, atMs: rooms.clock.wallMs(), answerer });
  await rooms.store.commit([
    {
      op: "close-approval",
      id: approval.id,
      state: "expired",
      resolution: { how: "expired", reason },
      ...keptOf(approval),
    },
    ...writes,
  ]);
}

/** A wall clock that was set back while the hub was down must not lengthen a deadline. */
function timeLeft(approval: ApprovalRecord, record: ProposalRecord, clock: Clock): number {
  const granted = approval.expiresAtMs - record.createdAtMs;
  return Math.max(0, Math.min(approval.expiresAtMs - clock.wallMs(), granted));
}

async function end(
  record: ProposalRecord,
  outcome: Outcome,
  { store, clock, log }: { store: Store; clock: Clock; log: Log },
  approval?: ApprovalRecord | null,
): Promise<void> {
  const { key, sessionId, state, command } = record;
  const atMs = clock.wallMs();
  const writes: Write[] = approval?.state === "pending" ? [closing(approval, outcome.reason ?? "")] : [];
  writes.push(
    {
      op: "advance-proposal",
      key,
      from: state,
      to: "ended",
      set: endedFields({ ...record, ...proposalFromRecord(record)?.proposal }, outcome, atMs),
    },
    { op: "append", draft: endedDraft({ sessionId, proposalKey: key, command }, outcome, { atMs, reportedBy: "hub" }) },
  );
  await store.commit(writes);
  log.warn({ proposal: key, outcome: outcome.kind }, outcome.reason ?? "");
}

function closing(approval: ApprovalRecord, reason: string): Write {
  const resolution = { how: "cancelled", reason };
  return { op: "close-approval", id: approval.id, state: "cancelled", resolution, ...keptOf(approval) };
}
