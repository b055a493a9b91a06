import { HubError } from "@countersign/core/errors";
import { type Decision, decideOnTimeout } from "@countersign/policy";
import type { ExecApprovalRequestPayload, ScopeOffer } from "@countersign/protocol/proposals";
import { canonicalize, type Json } from "@countersign/receipts";
import { type GrantRecord, saltedProposalHash } from "@countersign/store";
import {
  considerEdit,
  type Denials,
  type Grants,
  type LastingAnswer,
  offerFor,
  permitEdit,
  refuseUnsure,
  type Saving,
  whatFollows,
} from "../answers/index.ts";
import type { KeptDecision } from "../permits/index.ts";
import { PAUSED, type PausedBy, type Question, type Settlement, type Settling } from "../policies/index.ts";
import {
  type Considered,
  type ConsiderRooms,
  circumstancesNow,
  hashProposal,
  inJail,
  type Proposal,
} from "../proposals/index.ts";
import { type Answerer, answeredDecisionWrites, decisionEntry } from "../record/index.ts";
import { revealedCard } from "./approval-record.ts";
import type { Subject } from "./subject.ts";

export interface ExecQuestionRooms extends ConsiderRooms {
  readonly grants: Pick<Grants, "reserve" | "made">;
  nowMs(): number;
  pausedFor(sessionId: string): PausedBy | undefined;
  readonly denials: Denials;
  /** What an answer saves beside allowing this once; refuses with a HubError. */
  planSaving(considered: Considered, answer: LastingAnswer): Saving;
}

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
  readonly #rooms: ExecQuestionRooms;
  readonly #resolve: (decision: KeptDecision) => void;
  readonly #reject: (cause: unknown) => void;

  constructor(
    subject: Subject,
    approval: Pick<Question, "approvalId" | "expiresAtMs" | "liveMs">,
    rooms: ExecQuestionRooms,
  ) {
    this.approvalId = approval.approvalId;
    this.sessionId = subject.proposal.sessionId;
    this.expiresAtMs = approval.expiresAtMs;
    this.liveMs = approval.liveMs;
    this.#subject = subject;
    this.#rooms = rooms;
    const { promise, resolve, reject } = Promise.withResolvers<KeptDecision>();
    this.decided = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get proposal(): Proposal {
    return this.#subject.proposal;
  }

  considered(): Promise<Considered> {
    return this.#subject.considered();
  }

  /** Who proposes it, under which rules, for whom to run it, and all that a permit would bind. */
  get rest(): string {
    const { proposal, binding } = this.#subject;
    const { ownerId, sessionId, profileId, executor, attended, jail = null, doubt = null } = proposal;
    const facts = { ownerId, sessionId, profileId, executor, attended, jail, doubt, binding };
    return canonicalize(facts as unknown as Json);
  }

  async settle(settlement: Settlement): Promise<Settling> {
    const { approvalId } = this;
    const original = await this.considered();
    const edit = await this.#edited(settlement, original);
    if (edit?.grant) return this.#refer(settlement as Answered, original, { ...edit, grant: edit.grant });
    const asked = edit?.considered ?? original;
    const decision = await decideBy(settlement, asked, this.#rooms);
    const considered = inChosenJail({ ...asked, decision }, settlement);
    const answered =
      settlement.how === "answered" ? whatFollows(considered, { ...settlement, approvalId }, this.#rooms) : undefined;
    const answerer = withFacts({ approvalId, ...answered?.answerer }, edit && { editedFrom: hashOnRecord(original) });
    const writes = answeredDecisionWrites({ considered, decision, atMs: this.#rooms.nowMs(), answerer });
    return {
      by: decision.by,
      writes: [...writes, ...(answered?.writes ?? [])],
      done: async (commit) => {
        // What was allowed or denied counts before anything else can be proposed on the strength of this.
        const result = answered?.done();
        this.#resolve({ considered, entry: decisionEntry(commit, considered), approvalId });
        return (await result) ?? {};
      },
    };
  }

  /** What a person put in the command's place; with a grant where whoever runs it must propose that first. */
  async #edited(settlement: Settlement, original: Considered): Promise<Edit | undefined> {
    const command = settlement.how === "answered" ? settlement.answer.command : undefined;
    const { proposal, proposalHash: from } = original;
    if (settlement.how !== "answered" || command === undefined || command === proposal.command) return undefined;
    const by = settlement.by.name;
    const judged = await considerEdit(original, command, this.#rooms);
    const considered: Considered = { ...judged, edited: { by, command, from } };
    if (proposal.executor.kind === "local") return { considered, grant: undefined };
    this.#rooms.grants.reserve(1, proposal);
    return { considered, grant: permitEdit(judged, { by, approvalId: this.approvalId, atMs: this.#rooms.nowMs() }) };
  }

  /** Denied as it was proposed, and permitted once as it was changed. It isn't a denial to be remembered. */
  async #refer(
    settlement: Answered,
    original: Considered,
    { considered: edited, grant }: Edit & { grant: GrantRecord },
  ): Promise<Settling> {
    const { approvalId } = this;
    const { by, assurance } = settlement;
    const allowed = await decideBy(settlement, edited, this.#rooms);
    if (settlement.answer.jail !== undefined) throw new HubError("INVALID_PARAMS", "jail: nothing here runs in a jail");
    const reason = `${by.name} changed it, and it must be proposed so`;
    const decision: Decision = { ...original.decision, verdict: "deny", by: allowed.by, reason };
    const considered: Considered = {
      ...original,
      decision,
      ...(edited.edited ? { edited: edited.edited } : {}),
    };
    const facts = { editedTo: hashOnRecord(edited), grants: [grant.id] };
    const answerer = { approvalId, person: by.name, assurance, facts };
    return {
      by: decision.by,
      writes: [
        ...answeredDecisionWrites({ considered, decision, atMs: this.#rooms.nowMs(), answerer }),
        { op: "insert-grant", grant },
      ],
      done: (commit) => {
        this.#rooms.grants.made([grant]);
        this.#resolve({ considered, entry: decisionEntry(commit, considered), approvalId });
        return {
          note: "The agent runs it by itself: it is told to propose what you wrote, which is permitted once for 10 min",
        };
      },
    };
  }

  hashOf(command: string): string {
    return hashProposal({ ...this.proposal, command });
  }

  /** The ways to allow it more than once. */
  async scopes(): Promise<ScopeOffer[]> {
    const considered = await this.considered();
    return considered.profile === null ? [] : offerFor(considered);
  }

  async revealed(card: ExecApprovalRequestPayload): Promise<ExecApprovalRequestPayload> {
    return revealedCard(await this.considered(), card);
  }

  failed(cause: unknown): void {
    this.#reject(cause);
  }
}

type Answered = Extract<Settlement, { readonly how: "answered" }>;

interface Edit {
  readonly considered: Considered;
  readonly grant: GrantRecord | undefined;
}

/** Salted as what it stands beside. */
function hashOnRecord({ proposalHash, proposal }: Considered): string {
  return saltedProposalHash(proposalHash, proposal.salt);
}

function withFacts(answerer: Answerer, facts: Answerer["facts"]): Answerer {
  return facts === undefined ? answerer : { ...answerer, facts: { ...answerer.facts, ...facts } };
}

/** A person may choose another jail, where there is one. */
function inChosenJail(considered: Considered, settlement: Settlement): Considered {
  const chosen = settlement.how === "answered" ? settlement.answer.jail : undefined;
  if (chosen === undefined || considered.decision.verdict !== "allow") return considered;
  if (considered.enforcement !== "jail") throw new HubError("INVALID_PARAMS", "jail: nothing here runs in a jail");
  return inJail(considered, chosen);
}

async function decideBy(settlement: Settlement, considered: Considered, rooms: ExecQuestionRooms): Promise<Decision> {
  const { decision } = considered;
  const deny = (by: Decision["by"], reason: string): Decision => ({ ...decision, verdict: "deny", by, reason });
  switch (settlement.how) {
    case "answered": {
      const { decision: answer, reason } = settlement.answer;
      const { name } = settlement.by;
      if (answer === "deny") return deny("person", reason ? `Denied by ${name}: ${reason}` : `Denied by ${name}`);
      const paused = rooms.pausedFor(considered.proposal.sessionId);
      if (paused) throw new HubError("UNAUTHORIZED", PAUSED[paused].remedy);
      refuseUnsure(considered, settlement.assurance);
      return { ...decision, verdict: "allow", by: "person", reason: `Allowed by ${name} (${answer})` };
    }
    case "expired":
      if (!settlement.delivered) return deny("undelivered", "The question reached nobody who could answer");
      return (await decideBySilence(considered, rooms)) ?? deny("timeout", "Nobody answered in time");
    case "cancelled":
      return deny(settlement.how, settlement.reason);
  }
}

/** What silence means is what the profile says now, not what it said when the question was asked. */
async function decideBySilence(considered: Considered, rooms: ExecQuestionRooms): Promise<Decision | undefined> {
  const { classification, proposal } = considered;
  if (proposal.doubt !== undefined || considered.unlikeCard) return undefined;
  const reading = await rooms.policies.of(proposal, classification);
  if (!reading.ok || rooms.pausedFor(proposal.sessionId)) return undefined;
  return decideOnTimeout(classification, reading.profile, circumstancesNow(considered, rooms));
}
