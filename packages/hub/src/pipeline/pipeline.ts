import { strict as assert } from "node:assert";
import type { Log } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { Decision } from "@countersign/policy";
import { STARTED_OUTCOMES } from "@countersign/protocol/describe";
import type { Outcome } from "@countersign/protocol/proposals";
import { type ApprovalRecord, type Audit, type Commit, StoreError } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { type Grants, readOnce } from "../answers/index.ts";
import {
  type Approvals,
  ExecQuestion,
  type ExecQuestionRooms,
  execApproval,
  judgedSubject,
  type Subject,
} from "../approvals/index.ts";
import { type ExternalRuns, type HeldPermits, issuePermit, type KeptDecision, type Permit } from "../permits/index.ts";
import { PAUSED, type PausedBy } from "../policies/index.ts";
import { type Considered, consider, type HandBackRooms, type Proposal, toHandBack } from "../proposals/index.ts";
import {
  decisionEntry,
  newDecisionWrites,
  openingWrites,
  recordEnd,
  recordUnconfirmed,
  refusedOutcome,
  startWrites,
} from "../record/index.ts";
import { type RunControl, type RunRooms, run } from "../runs/index.ts";

export interface PipelineRooms extends RunRooms, ExecQuestionRooms, HandBackRooms {
  readonly approvals: Approvals;
  readonly external: ExternalRuns;
  readonly grants: Pick<Grants, "takeOnce" | "made" | "reserve">;
  readonly held: HeldPermits;
  readonly audit: Pick<Audit, "upToDate">;
  readonly log: Log;
}

/** The proposer's side of a proposal on its way. */
export interface Control extends RunControl {
  /** Called once the store holds the proposal, so that it can be asked for by its id. */
  stored(): void;
  /** Called once it is permitted and waits to be claimed. */
  permitted(permit: Permit): void;
}

/**
 * How a proposal leaves the pipeline: with its outcome or, for an external executor, with the permit. `handBack`: the agent's own
 * prompt is to ask; what comes of it is reported under this permit.
 */
export type Passed = { readonly outcome: Outcome } | { readonly permit: Permit } | { readonly handBack: Permit };

/**
 * propose → classify → decide → (ask) → permit → run → record. Every branch of a proposal's life is here and nowhere
 * else.
 */
export async function pipeline(proposal: Proposal, rooms: PipelineRooms, control: Control): Promise<Passed> {
  const considered = await consider(proposal, rooms);
  const pausedBy = rooms.pausedFor(proposal.sessionId);
  return await recorded(proposal, rooms, async () => {
    if (pausedBy) return await permitAndRun(await record(paused(considered, pausedBy), rooms, control), rooms, control);
    const answeredBefore = await askedAgain(considered, rooms, control);
    if (answeredBefore) return await permitAndRun(answeredBefore, rooms, control);
    const handedBack = await toHandBack(considered, rooms);
    if (handedBack) return await permitAndRun(await record(handedBack, rooms, control), rooms, control);
    const decided =
      considered.decision.verdict === "ask"
        ? await ask(considered, rooms, control)
        : await record(considered, rooms, control);
    return await permitAndRun(decided, rooms, control);
  });
}

/** Goes on with a proposal that was pending when the hub stopped. It was bound and asked before. Not async: its frame would hold the card. */
export function resumePipeline(
  waiting: { readonly subject: Subject; readonly approval: ApprovalRecord; readonly liveMs: number },
  rooms: PipelineRooms,
  control: Control,
): Promise<Passed> {
  control.stored();
  const { subject, approval, liveMs } = waiting;
  const question = new ExecQuestion(
    subject,
    { approvalId: approval.id, expiresAtMs: approval.expiresAtMs, liveMs },
    rooms,
  );
  rooms.approvals.resume(question, approval);
  return recorded(question.proposal, rooms, async () =>
    permitAndRun(await answered(question, rooms, control), rooms, control),
  );
}

/** What never ran is answered once `audit.jsonl` has it, too: whoever is denied may look there at once. */
async function recorded(proposal: Proposal, rooms: PipelineRooms, go: () => Promise<Passed>): Promise<Passed> {
  const passed = await orUnconfirmed(proposal, rooms, go);
  if ("outcome" in passed && !(STARTED_OUTCOMES as ReadonlySet<string>).has(passed.outcome.kind))
    await rooms.audit.upToDate();
  return passed;
}

/** A decision or a start that isn't confirmed to be on record permits nothing, and that goes on record after it. */
async function orUnconfirmed(proposal: Proposal, rooms: PipelineRooms, go: () => Promise<Passed>): Promise<Passed> {
  try {
    return await go();
  } catch (cause) {
    if (!(cause instanceof StoreError && cause.code === "UNCONFIRMED")) throw cause;
    const outcome = await recordUnconfirmed(proposal, cause, rooms);
    if (outcome === undefined) throw cause;
    return { outcome };
  }
}

async function permitAndRun(decided: KeptDecision, rooms: PipelineRooms, control: Control): Promise<Passed> {
  const { considered, entry, approvalId, startedAs } = decided;
  if (considered.decision.verdict !== "allow") {
    return {
      outcome: {
        ...refusedOutcome(considered.decision, approvalId, considered.edited),
        ...(entry && { receipt: entry.hash }),
      },
    };
  }
  assert(entry);
  const { executor } = considered.proposal;
  const isClaimed = executor.kind === "local" && executor.start === "claimed";
  const liveMs = isClaimed ? rooms.limits.heldPermitMs : rooms.limits.permitMs;
  const permit = issuePermit({ considered, entry, startedAs }, rooms.clock, liveMs);
  if (permit.kind === "external") {
    const from = startedAs === undefined ? "decided" : "started";
    const handed = await rooms.external.handOver(permit, { from, withdrawal: control.withdrawal });
    return "permit" in handed && considered.decision.by === "agent-prompt" ? { handBack: permit } : handed;
  }
  return { outcome: isClaimed ? await holdAndRun(permit, rooms, control) : await run(permit, rooms, control) };
}

/** What nobody claims goes on record as not started. Whatever the permit binds is looked at again after the claim, by `run`. */
async function holdAndRun(permit: Permit, rooms: PipelineRooms, control: Control): Promise<Outcome> {
  const held = await rooms.held.hold(permit, control);
  if ("refusal" in held) {
    const outcome: Outcome = { kind: "not-started", ...held.refusal };
    return await recordEnd(permit, { outcome, from: "decided", reportedBy: "hub" }, rooms);
  }
  return await run(permit, rooms, { ...control, attachment: held.attachment });
}

/**
 * Decided without a person: the decision is durable before anything follows from it. Another executor is answered at once, so its start
 * is on record with the decision: an agent waits for one commit less.
 */
async function record(considered: Considered, rooms: PipelineRooms, control: Control): Promise<KeptDecision> {
  const { decision, proposal } = considered;
  const atMs = rooms.nowMs();
  const startedAs = decision.verdict === "allow" && proposal.executor.kind === "external" ? uuidv7() : undefined;
  const start = startedAs === undefined ? [] : startWrites(considered, { permitId: startedAs, atMs });
  const writes = [...newDecisionWrites({ considered, decision, atMs }), ...start];
  const commit = kept(await rooms.store.commit(writes));
  control.stored();
  return { considered, startedAs, entry: decisionEntry(commit, considered) };
}

/** A person has answered this very question after it had expired: that answer is used up with the decision. */
async function askedAgain(
  considered: Considered,
  rooms: PipelineRooms,
  control: Control,
): Promise<KeptDecision | undefined> {
  const once = considered.decision.verdict === "ask" ? rooms.grants.takeOnce(considered) : undefined;
  if (!once) return undefined;
  const reason = `Allowed by ${readOnce(once)?.by} for when it asks again`;
  const decision: Decision = { ...considered.decision, verdict: "allow", by: "grant", reason, entryIds: [once.id] };
  const answered: Considered = { ...considered, decision, answeredBefore: true };
  const writes = newDecisionWrites({ considered: answered, decision, atMs: rooms.nowMs() });
  let commit: Commit;
  try {
    commit = await rooms.store.commit([{ op: "take-grant", id: once.id }, ...writes]);
  } catch (cause) {
    rooms.grants.made([once]);
    throw cause;
  }
  if (!commit.ok && commit.refusal === "GRANT_GONE") return undefined;
  if (!commit.ok) rooms.grants.made([once]);
  const durable = kept(commit);
  control.stored();
  return { considered: answered, entry: decisionEntry(durable, answered) };
}

/** Asks a person; the question is durable before anyone hears of it. */
async function ask(considered: Considered, rooms: PipelineRooms, control: Control): Promise<KeptDecision> {
  const question = await open(considered, rooms);
  control.stored();
  return await answered(question, rooms, control);
}

/** Returns only the question: a frame that waits for its answer would hold its card and its row. */
async function open(considered: Considered, rooms: PipelineRooms): Promise<ExecQuestion> {
  assert(considered.profile);
  const { timeoutMs } = considered.profile;
  const liveMs = Math.min(timeoutMs, considered.proposal.patienceMs ?? timeoutMs);
  const atMs = rooms.nowMs();
  const card = execApproval(considered, { expiresAtMs: atMs + liveMs, unheld: rooms.jails?.unheldLimits });
  const question = new ExecQuestion(
    judgedSubject(considered),
    { approvalId: card.id, expiresAtMs: card.expiresAtMs, liveMs },
    rooms,
  );
  const writes = openingWrites(considered, { state: "pending", atMs, approvalId: card.id });
  kept(await rooms.approvals.open(question, card, writes));
  return question;
}

async function answered(
  question: ExecQuestion,
  { approvals, log }: PipelineRooms,
  { withdrawal }: Control,
): Promise<KeptDecision> {
  const cancel = () => {
    approvals.cancel(question.approvalId, "cancelled", withdrawal.reason ?? "").catch((cause) => {
      log.error(
        { approvalId: question.approvalId, err: cause },
        "a withdrawn proposal could not be recorded; it doesn't run",
      );
    });
  };
  const forget = withdrawal.onWithdrawn(cancel);
  try {
    return await question.decided;
  } finally {
    forget();
  }
}

function paused(considered: Considered, by: PausedBy): Considered {
  const { reason } = PAUSED[by];
  return { ...considered, decision: { ...considered.decision, verdict: "deny", by: "paused", reason } };
}

function kept(commit: Commit): Commit & { ok: true } {
  if (commit.ok) return commit;
  switch (commit.refusal) {
    case "SESSION_FOREIGN":
      throw new HubError("UNAUTHORIZED", "This session belongs to someone else");
    case "PROPOSAL_EXISTS":
      throw new HubError("CONFLICT", "This proposalId is in use");
    default:
      throw new HubError("INTERNAL", `The store refused the decision (${commit.refusal}); nothing was run`);
  }
}
