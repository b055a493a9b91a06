import type { ExecApprovalRequestPayload, ScopeOffer } from "@countersign/protocol/proposals";
import { canonicalize, type Json } from "@countersign/receipts";
import { offerFor } from "../answers/index.ts";
import type { KeptDecision } from "../permits/index.ts";
import type { Question, Resolution, Settlement } from "../policies/index.ts";
import { type Assessment, hashProposal, type Proposal } from "../proposals/index.ts";
import { decisionEntry } from "../record/index.ts";
import { revealedCard } from "./card.ts";
import type { RunResolver } from "./resolve-run.ts";
import type { Subject } from "./subject.ts";

/** Undefined if it is about something else than a run. */
export function aboutRun(question: Question): ExecQuestion | undefined {
  return question instanceof ExecQuestion ? question : undefined;
}

/** Whether a proposal may run, asked of a person. */
export class ExecQuestion implements Question {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly expiresAtMs: number;
  readonly liveMs: number;
  /** Resolves once, when the settlement is durable; rejects when it could not be recorded. */
  readonly decided: Promise<KeptDecision>;
  readonly #subject: Subject;
  readonly #resolver: RunResolver;
  readonly #resolve: (decision: KeptDecision) => void;
  readonly #reject: (cause: unknown) => void;

  constructor(
    subject: Subject,
    approval: Pick<Question, "approvalId" | "expiresAtMs" | "liveMs">,
    resolver: RunResolver,
  ) {
    this.approvalId = approval.approvalId;
    this.sessionId = subject.proposal.sessionId;
    this.expiresAtMs = approval.expiresAtMs;
    this.liveMs = approval.liveMs;
    this.#subject = subject;
    this.#resolver = resolver;
    const { promise, resolve, reject } = Promise.withResolvers<KeptDecision>();
    this.decided = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get proposal(): Proposal {
    return this.#subject.proposal;
  }

  assessment(): Promise<Assessment> {
    return this.#subject.assessment();
  }

  /** Who proposes it, under which rules, for whom to run it, and all that a permit would bind. */
  get rest(): string {
    const { proposal, binding } = this.#subject;
    const { ownerId, sessionId, profileId, executor, attended, jail = null, mustAskReason = null } = proposal;
    const facts = { ownerId, sessionId, profileId, executor, attended, jail, mustAskReason, binding };
    return canonicalize(facts as unknown as Json);
  }

  async settle(settlement: Settlement): Promise<Resolution> {
    const { approvalId } = this;
    const { assessment, by, writes, apply } = await this.#resolver.resolve(
      approvalId,
      await this.assessment(),
      settlement,
    );
    return {
      by,
      writes,
      done: async (commit) => {
        // What was allowed or denied counts before anything else can be proposed on the strength of this.
        const result = apply();
        this.#resolve({ assessment, entry: decisionEntry(commit, assessment), approvalId });
        return await result;
      },
    };
  }

  hashOf(command: string): string {
    return hashProposal({ ...this.proposal, command });
  }

  /** The ways to allow it more than once. */
  async scopes(): Promise<ScopeOffer[]> {
    const assessment = await this.assessment();
    return assessment.profile === null ? [] : offerFor(assessment);
  }

  async revealed(card: ExecApprovalRequestPayload): Promise<ExecApprovalRequestPayload> {
    return revealedCard(await this.assessment(), card);
  }

  failed(cause: unknown): void {
    this.#reject(cause);
  }
}
