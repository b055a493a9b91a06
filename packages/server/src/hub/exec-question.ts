import { type Decision, decideOnTimeout } from "@countersign/policy";
import type { AnswerResult } from "@countersign/sdk";
import { HubError } from "../hub-error.ts";
import type { DurableDecision } from "../permit/permit.ts";
import type { Policies } from "../profiles/policies.ts";
import type { Considered } from "../propose/consider.ts";
import { answeredDecisionWrites } from "../record/decision-writes.ts";
import type { Question, Settlement, Settling } from "./approvals.ts";

export interface ExecQuestionRooms {
  nowMs(): number;
  isPaused(): boolean;
  readonly policies: Policies;
  /** Saves what `allow-always` stands for; never throws: what went wrong is in the note. */
  saveAlways(considered: Considered, person: string): Promise<Pick<AnswerResult, "saved" | "note">>;
}

/** Whether a proposal may run, asked of a person. */
export class ExecQuestion implements Question {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly expiresAtMs: number;
  readonly liveMs: number;
  /** Resolves once, when the settlement is durable; rejects when it could not be recorded. */
  readonly decided: Promise<DurableDecision>;
  readonly #considered: Considered;
  readonly #rooms: ExecQuestionRooms;
  readonly #resolve: (decision: DurableDecision) => void;
  readonly #reject: (cause: unknown) => void;

  constructor(
    considered: Considered,
    approval: Pick<Question, "approvalId" | "expiresAtMs" | "liveMs">,
    rooms: ExecQuestionRooms,
  ) {
    this.approvalId = approval.approvalId;
    this.sessionId = considered.proposal.sessionId;
    this.expiresAtMs = approval.expiresAtMs;
    this.liveMs = approval.liveMs;
    this.#considered = considered;
    this.#rooms = rooms;
    const { promise, resolve, reject } = Promise.withResolvers<DurableDecision>();
    this.decided = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  async settle(settlement: Settlement): Promise<Settling> {
    const decision = await decideBy(settlement, this.#considered, this.#rooms);
    const person = settlement.how === "answered" ? settlement.by.name : undefined;
    const assurance = settlement.how === "answered" ? settlement.assurance : undefined;
    const answerer = {
      approvalId: this.approvalId,
      ...(person === undefined ? {} : { person }),
      ...(assurance ? { assurance } : {}),
    };
    const considered = { ...this.#considered, decision };
    return {
      by: decision.by,
      writes: answeredDecisionWrites({ considered, decision, atMs: this.#rooms.nowMs(), answerer }),
      done: async ({ entries }) => {
        const entry = entries.find((candidate) => candidate.type === "decided");
        if (entry) this.#resolve({ considered, entry });
        const always = settlement.how === "answered" && settlement.answer.decision === "allow-always";
        return always && person !== undefined ? await this.#rooms.saveAlways(considered, person) : {};
      },
    };
  }

  failed(cause: unknown): void {
    this.#reject(cause);
  }
}

async function decideBy(settlement: Settlement, considered: Considered, rooms: ExecQuestionRooms): Promise<Decision> {
  const { decision } = considered;
  const deny = (by: Decision["by"], reason: string): Decision => ({ ...decision, verdict: "deny", by, reason });
  switch (settlement.how) {
    case "answered": {
      const { decision: answer, reason } = settlement.answer;
      const { name } = settlement.by;
      if (answer === "deny") return deny("person", reason ? `Denied by ${name}: ${reason}` : `Denied by ${name}`);
      if (rooms.isPaused()) {
        throw new HubError("UNAUTHORIZED", "Countersign is paused: resume before you allow anything, or deny it.");
      }
      const needsDevice = considered.profile?.assurance === "device" && decision.riskLevel === "dangerous";
      if (needsDevice && settlement.assurance.level !== "device") {
        throw new HubError("UNAUTHORIZED", "This profile takes only a device's signature for something dangerous");
      }
      return { ...decision, verdict: "allow", by: "person", reason: `Allowed by ${name} (${answer})` };
    }
    case "expired":
      if (!settlement.delivered) return deny("undelivered", "The question reached nobody who could answer");
      return (await decideBySilence(considered, rooms)) ?? deny("timeout", "Nobody answered in time");
    case "cancelled":
    case "shutdown":
      return deny(settlement.how, settlement.reason);
  }
}

/** What silence means is what the profile says now, not what it said when the question was asked. */
async function decideBySilence(
  { classification, proposal, enforcement }: Considered,
  rooms: ExecQuestionRooms,
): Promise<Decision | undefined> {
  const reading = await rooms.policies.of(proposal, classification);
  if (!reading.ok || rooms.isPaused()) return undefined;
  const circumstances = { enforcement, attended: proposal.attended, nowMs: rooms.nowMs() };
  return decideOnTimeout(classification, reading.profile, circumstances);
}
