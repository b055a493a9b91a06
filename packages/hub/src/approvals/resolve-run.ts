import type { Clock } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { type Decision, decideOnTimeout } from "@countersign/policy";
import type { AnswerResult } from "@countersign/protocol/proposals";
import { type GrantRecord, saltedProposalHash, type Write } from "@countersign/store";
import type { Decider } from "@countersign/vocabulary";
import {
  type AnswerSaver,
  answerEffects,
  assessEdit,
  type Denials,
  type Grants,
  permitEdit,
  refuseUnsure,
} from "../answers/index.ts";
import { PAUSED, type PausedBy, type Policies, type Settlement } from "../policies/index.ts";
import { type Assessment, type Assessor, inJail, type Judge } from "../proposals/index.ts";
import { type Answerer, answeredDecisionWrites } from "../record/index.ts";

/** What a settlement means for a run. */
interface RunResolution {
  /** As it was decided. */
  readonly assessment: Assessment;
  readonly by: Decider;
  /** Committed together with closing the approval. */
  readonly writes: readonly Write[];
  /** Called once that is durable: brings it into force before it returns. What it resolves to is told to the person. */
  apply(): Promise<Partial<AnswerResult>>;
}

/** Decides what answers, silence and cancellations mean for runs that were asked about. */
export class RunResolver {
  readonly #clock: Clock;
  readonly #policies: Policies;
  readonly #judge: Judge;
  readonly #assessor: Assessor;
  readonly #grants: Grants;
  readonly #denials: Denials;
  readonly #saver: AnswerSaver;
  readonly #pausedFor: (sessionId: string) => PausedBy | undefined;

  constructor(options: {
    readonly clock: Clock;
    readonly policies: Policies;
    readonly judge: Judge;
    readonly assessor: Assessor;
    readonly grants: Grants;
    readonly denials: Denials;
    readonly saver: AnswerSaver;
    readonly pausedFor: (sessionId: string) => PausedBy | undefined;
  }) {
    this.#clock = options.clock;
    this.#policies = options.policies;
    this.#judge = options.judge;
    this.#assessor = options.assessor;
    this.#grants = options.grants;
    this.#denials = options.denials;
    this.#saver = options.saver;
    this.#pausedFor = options.pausedFor;
  }

  /** Refuses an answer that can't be with a HubError, which then changes nothing. */
  async resolve(approvalId: string, original: Assessment, settlement: Settlement): Promise<RunResolution> {
    const edit = await this.#edited(approvalId, original, settlement);
    if (edit?.grant)
      return await this.#refer(approvalId, original, {
        ...edit,
        grant: edit.grant,
        settlement: settlement as Answered,
      });
    const asked = edit?.assessment ?? original;
    const decision = await this.#decide(settlement, asked);
    const assessment = inChosenJail({ ...asked, decision }, settlement);
    const answered =
      settlement.how === "answered"
        ? answerEffects(
            assessment,
            { ...settlement, approvalId },
            { denials: this.#denials, saver: this.#saver, nowMs: this.#clock.wallMs() },
          )
        : undefined;
    const answerer = withFacts({ approvalId, ...answered?.answerer }, edit && { editedFrom: hashOnRecord(original) });
    const writes = answeredDecisionWrites({ assessment, decision, atMs: this.#clock.wallMs(), answerer });
    return {
      assessment,
      by: decision.by,
      writes: [...writes, ...(answered?.writes ?? [])],
      apply: () => answered?.done() ?? Promise.resolve({}),
    };
  }

  /** What a person put in the command's place; with a grant where whoever runs it must propose that first. */
  async #edited(approvalId: string, original: Assessment, settlement: Settlement): Promise<Edit | undefined> {
    const command = settlement.how === "answered" ? settlement.answer.command : undefined;
    const { proposal, proposalHash: from } = original;
    if (settlement.how !== "answered" || command === undefined || command === proposal.command) return undefined;
    const by = settlement.by.name;
    const judged = await assessEdit(original, command, this.#assessor);
    const assessment: Assessment = { ...judged, edited: { by, command, from } };
    if (proposal.executor.kind === "local") return { assessment, grant: undefined };
    this.#grants.reserve(1, proposal);
    return { assessment, grant: permitEdit(judged, { by, approvalId, atMs: this.#clock.wallMs() }) };
  }

  /** Denied as it was proposed, and permitted once as it was changed. It isn't a denial to be remembered. */
  async #refer(
    approvalId: string,
    original: Assessment,
    { assessment: edited, grant, settlement }: Edit & { readonly grant: GrantRecord; readonly settlement: Answered },
  ): Promise<RunResolution> {
    const { by, assurance } = settlement;
    const allowed = await this.#decide(settlement, edited);
    if (settlement.answer.jail !== undefined) throw new HubError("INVALID_PARAMS", "jail: nothing here runs in a jail");
    const reason = `${by.name} changed it, and it must be proposed so`;
    const decision: Decision = { ...original.decision, verdict: "deny", by: allowed.by, reason };
    const assessment: Assessment = {
      ...original,
      decision,
      ...(edited.edited ? { edited: edited.edited } : {}),
    };
    const facts = { editedTo: hashOnRecord(edited), grants: [grant.id] };
    const answerer = { approvalId, person: by.name, assurance, facts };
    return {
      assessment,
      by: decision.by,
      writes: [
        ...answeredDecisionWrites({ assessment, decision, atMs: this.#clock.wallMs(), answerer }),
        { op: "insert-grant", grant },
      ],
      apply: () => {
        this.#grants.add([grant]);
        const note =
          "The agent runs it by itself: it is told to propose what you wrote, which is permitted once for 10 min";
        return Promise.resolve({ note });
      },
    };
  }

  async #decide(settlement: Settlement, assessment: Assessment): Promise<Decision> {
    const { decision } = assessment;
    const deny = (by: Decision["by"], reason: string): Decision => ({ ...decision, verdict: "deny", by, reason });
    switch (settlement.how) {
      case "answered": {
        const { decision: answer, reason } = settlement.answer;
        const { name } = settlement.by;
        if (answer === "deny") return deny("person", reason ? `Denied by ${name}: ${reason}` : `Denied by ${name}`);
        const paused = this.#pausedFor(assessment.proposal.sessionId);
        if (paused) throw new HubError("UNAUTHORIZED", PAUSED[paused].remedy);
        refuseUnsure(assessment, settlement.assurance);
        return { ...decision, verdict: "allow", by: "person", reason: `Allowed by ${name} (${answer})` };
      }
      case "expired":
        if (!settlement.delivered) return deny("undelivered", "The question reached nobody who could answer");
        return (await this.#decideBySilence(assessment)) ?? deny("timeout", "Nobody answered in time");
      case "cancelled":
        return deny(settlement.how, settlement.reason);
    }
  }

  /** What silence means is what the profile says now, not what it said when the question was asked. */
  async #decideBySilence(assessment: Assessment): Promise<Decision | undefined> {
    const { classification, proposal } = assessment;
    if (proposal.mustAskReason !== undefined || assessment.unlikeCard) return undefined;
    const reading = await this.#policies.of(proposal, classification);
    if (!reading.ok || this.#pausedFor(proposal.sessionId)) return undefined;
    return decideOnTimeout(classification, reading.profile, this.#judge.currentCircumstances(assessment));
  }
}

type Answered = Extract<Settlement, { readonly how: "answered" }>;

interface Edit {
  readonly assessment: Assessment;
  readonly grant: GrantRecord | undefined;
}

/** Salted as what it stands beside. */
function hashOnRecord({ proposalHash, proposal }: Assessment): string {
  return saltedProposalHash(proposalHash, proposal.salt);
}

function withFacts(answerer: Answerer, facts: Answerer["facts"]): Answerer {
  return facts === undefined ? answerer : { ...answerer, facts: { ...answerer.facts, ...facts } };
}

/** A person may choose another jail, where there is one. */
function inChosenJail(assessment: Assessment, settlement: Settlement): Assessment {
  const chosen = settlement.how === "answered" ? settlement.answer.jail : undefined;
  if (chosen === undefined || assessment.decision.verdict !== "allow") return assessment;
  if (assessment.enforcement !== "jail") throw new HubError("INVALID_PARAMS", "jail: nothing here runs in a jail");
  return inJail(assessment, chosen);
}
