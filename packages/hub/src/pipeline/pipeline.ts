import { strict as assert } from "node:assert";
import type { Clock, Limits, Log } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { Engine } from "@countersign/jail";
import type { Decision } from "@countersign/policy";
import { STARTED_OUTCOMES } from "@countersign/protocol/describe";
import type { Outcome } from "@countersign/protocol/proposals";
import { type ApprovalRecord, type Audit, type Commit, type Store, StoreError } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { decodeOneTimeGrant, type Grants } from "../answers/index.ts";
import {
  type Approvals,
  assessedSubject,
  createCard,
  ExecQuestion,
  type RunResolver,
  type Subject,
} from "../approvals/index.ts";
import type { Presence } from "../events/index.ts";
import { type ExternalRuns, type HeldPermits, issuePermit, type KeptDecision, type Permit } from "../permits/index.ts";
import { PAUSED, type PausedBy } from "../policies/index.ts";
import type { Assessment, Assessor, Proposal } from "../proposals/index.ts";
import {
  decisionEntry,
  newDecisionWrites,
  openingWrites,
  type RunRecords,
  refusedOutcome,
  startWrites,
} from "../record/index.ts";
import type { RunControl, Runner } from "../runs/index.ts";

/** The proposer's side of a proposal on its way. */
export interface Caller extends RunControl {
  /** Called once the store holds the proposal, so that it can be asked for by its id. */
  stored(): void;
  /** Called once it is permitted and waits to be claimed. */
  permitted(permit: Permit): void;
}

/**
 * How a proposal leaves the pipeline: with its outcome or, for an external executor, with the permit. `handBack`: the agent's own
 * prompt is to ask; what comes of it is reported under this permit.
 */
export type PipelineResult =
  | { readonly outcome: Outcome }
  | { readonly permit: Permit }
  | { readonly handBack: Permit };

/** Takes proposals from their acceptance to their end. */
export class Pipeline {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #audit: Pick<Audit, "upToDate">;
  readonly #presence: Presence;
  readonly #assessor: Assessor;
  readonly #approvals: Approvals;
  readonly #resolver: RunResolver;
  readonly #grants: Grants;
  readonly #records: RunRecords;
  readonly #runner: Runner;
  readonly #held: HeldPermits;
  readonly #external: ExternalRuns;
  readonly #engine: Engine | undefined;
  readonly #pausedFor: (sessionId: string) => PausedBy | undefined;

  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly limits: Limits;
    readonly log: Log;
    readonly audit: Pick<Audit, "upToDate">;
    readonly presence: Presence;
    readonly assessor: Assessor;
    readonly approvals: Approvals;
    readonly resolver: RunResolver;
    readonly grants: Grants;
    readonly records: RunRecords;
    readonly runner: Runner;
    readonly held: HeldPermits;
    readonly external: ExternalRuns;
    readonly engine: Engine | undefined;
    readonly pausedFor: (sessionId: string) => PausedBy | undefined;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#log = options.log;
    this.#audit = options.audit;
    this.#presence = options.presence;
    this.#assessor = options.assessor;
    this.#approvals = options.approvals;
    this.#resolver = options.resolver;
    this.#grants = options.grants;
    this.#records = options.records;
    this.#runner = options.runner;
    this.#held = options.held;
    this.#external = options.external;
    this.#engine = options.engine;
    this.#pausedFor = options.pausedFor;
  }

  /**
   * propose → classify → decide → (ask) → permit → run → record. Every branch of a proposal's life is here and nowhere
   * else.
   */
  async take(proposal: Proposal, caller: Caller): Promise<PipelineResult> {
    const assessment = await this.#assessor.assess(proposal);
    const pausedBy = this.#pausedFor(proposal.sessionId);
    return await this.#recorded(proposal, async () => {
      if (pausedBy) return await this.#carryOut(await this.#record(paused(assessment, pausedBy), caller), caller);
      const answeredBefore = await this.#askedAgain(assessment, caller);
      if (answeredBefore) return await this.#carryOut(answeredBefore, caller);
      const handedBack = await this.#assessor.leaveToAgentPrompt(assessment, {
        someoneCanAnswer: this.#presence.anyone,
      });
      if (handedBack) return await this.#carryOut(await this.#record(handedBack, caller), caller);
      const decided =
        assessment.decision.verdict === "ask"
          ? await this.#ask(assessment, caller)
          : await this.#record(assessment, caller);
      return await this.#carryOut(decided, caller);
    });
  }

  /** Goes on with a proposal that was pending when the hub stopped. It was bound and asked before. Not async: its frame would hold the card. */
  resume(
    waiting: { readonly subject: Subject; readonly approval: ApprovalRecord; readonly liveMs: number },
    caller: Caller,
  ): Promise<PipelineResult> {
    caller.stored();
    const { subject, approval, liveMs } = waiting;
    const question = new ExecQuestion(
      subject,
      { approvalId: approval.id, expiresAtMs: approval.expiresAtMs, liveMs },
      this.#resolver,
    );
    this.#approvals.resume(question, approval);
    return this.#recorded(question.proposal, async () =>
      this.#carryOut(await this.#answered(question, caller), caller),
    );
  }

  /** What never ran is answered once `audit.jsonl` has it, too: whoever is denied may look there at once. */
  async #recorded(proposal: Proposal, go: () => Promise<PipelineResult>): Promise<PipelineResult> {
    const result = await this.#orUnconfirmed(proposal, go);
    if ("outcome" in result && !(STARTED_OUTCOMES as ReadonlySet<string>).has(result.outcome.kind))
      await this.#audit.upToDate();
    return result;
  }

  /** A decision or a start that isn't confirmed to be on record permits nothing, and that goes on record after it. */
  async #orUnconfirmed(proposal: Proposal, go: () => Promise<PipelineResult>): Promise<PipelineResult> {
    try {
      return await go();
    } catch (cause) {
      if (!(cause instanceof StoreError && cause.code === "UNCONFIRMED")) throw cause;
      const outcome = await this.#records.unconfirmed(proposal, cause);
      if (outcome === undefined) throw cause;
      return { outcome };
    }
  }

  async #carryOut(decided: KeptDecision, caller: Caller): Promise<PipelineResult> {
    const { assessment, entry, approvalId, startedAs } = decided;
    if (assessment.decision.verdict !== "allow") {
      return {
        outcome: {
          ...refusedOutcome(assessment.decision, approvalId, assessment.edited),
          ...(entry && { receipt: entry.hash }),
        },
      };
    }
    assert(entry);
    const { executor } = assessment.proposal;
    const isClaimed = executor.kind === "local" && executor.start === "claimed";
    const liveMs = isClaimed ? this.#limits.heldPermitMs : this.#limits.permitMs;
    const permit = issuePermit({ assessment, entry, startedAs }, this.#clock, liveMs);
    if (permit.kind === "external") {
      const from = startedAs === undefined ? "decided" : "started";
      const handed = await this.#external.handOver(permit, { from, withdrawal: caller.withdrawal });
      return "permit" in handed && assessment.decision.by === "agent-prompt" ? { handBack: permit } : handed;
    }
    return { outcome: isClaimed ? await this.#holdAndRun(permit, caller) : await this.#runner.run(permit, caller) };
  }

  /** What nobody claims goes on record as not started. Whatever the permit binds is looked at again after the claim, by the runner. */
  async #holdAndRun(permit: Permit, caller: Caller): Promise<Outcome> {
    const held = await this.#held.hold(permit, caller);
    if ("refusal" in held) {
      const outcome: Outcome = { kind: "not-started", ...held.refusal };
      return await this.#records.end(permit, { outcome, from: "decided", reportedBy: "hub" });
    }
    return await this.#runner.run(permit, { ...caller, attachment: held.attachment });
  }

  /**
   * Decided without a person: the decision is durable before anything follows from it. Another executor is answered at once, so its start
   * is on record with the decision: an agent waits for one commit less.
   */
  async #record(assessment: Assessment, caller: Caller): Promise<KeptDecision> {
    const { decision, proposal } = assessment;
    const atMs = this.#clock.wallMs();
    const startedAs = decision.verdict === "allow" && proposal.executor.kind === "external" ? uuidv7() : undefined;
    const start = startedAs === undefined ? [] : startWrites(assessment, { permitId: startedAs, atMs });
    const writes = [...newDecisionWrites({ assessment, decision, atMs }), ...start];
    const commit = kept(await this.#store.commit(writes));
    caller.stored();
    return { assessment, startedAs, entry: decisionEntry(commit, assessment) };
  }

  /** A person has answered this very question after it had expired: that answer is used up with the decision. */
  async #askedAgain(assessment: Assessment, caller: Caller): Promise<KeptDecision | undefined> {
    const once = assessment.decision.verdict === "ask" ? this.#grants.takeOneTime(assessment) : undefined;
    if (!once) return undefined;
    const reason = `Allowed by ${decodeOneTimeGrant(once)?.by} for when it asks again`;
    const decision: Decision = { ...assessment.decision, verdict: "allow", by: "grant", reason, entryIds: [once.id] };
    const answered: Assessment = { ...assessment, decision, answeredBefore: true };
    const writes = newDecisionWrites({ assessment: answered, decision, atMs: this.#clock.wallMs() });
    let commit: Commit;
    try {
      commit = await this.#store.commit([{ op: "take-grant", id: once.id }, ...writes]);
    } catch (cause) {
      this.#grants.add([once]);
      throw cause;
    }
    if (!commit.ok && commit.refusal === "GRANT_GONE") return undefined;
    if (!commit.ok) this.#grants.add([once]);
    const durable = kept(commit);
    caller.stored();
    return { assessment: answered, entry: decisionEntry(durable, answered) };
  }

  /** Asks a person; the question is durable before anyone hears of it. */
  async #ask(assessment: Assessment, caller: Caller): Promise<KeptDecision> {
    const question = await this.#open(assessment);
    caller.stored();
    return await this.#answered(question, caller);
  }

  /** Returns only the question: a frame that waits for its answer would hold its card and its row. */
  async #open(assessment: Assessment): Promise<ExecQuestion> {
    assert(assessment.profile);
    const { timeoutMs } = assessment.profile;
    const liveMs = Math.min(timeoutMs, assessment.proposal.patienceMs ?? timeoutMs);
    const atMs = this.#clock.wallMs();
    const card = createCard(assessment, { expiresAtMs: atMs + liveMs, unheld: this.#engine?.unheldLimits });
    const question = new ExecQuestion(
      assessedSubject(assessment),
      { approvalId: card.id, expiresAtMs: card.expiresAtMs, liveMs },
      this.#resolver,
    );
    const writes = openingWrites(assessment, { state: "pending", atMs, approvalId: card.id });
    kept(await this.#approvals.open(question, card, writes));
    return question;
  }

  async #answered(question: ExecQuestion, { withdrawal }: Caller): Promise<KeptDecision> {
    const cancel = () => {
      this.#approvals.cancel(question.approvalId, "cancelled", withdrawal.reason ?? "").catch((cause) => {
        this.#log.error(
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
}

function paused(assessment: Assessment, by: PausedBy): Assessment {
  const { reason } = PAUSED[by];
  return { ...assessment, decision: { ...assessment.decision, verdict: "deny", by: "paused", reason } };
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
