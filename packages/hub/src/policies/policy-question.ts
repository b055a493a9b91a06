import type { Clock } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { fileDiff, redactSentence } from "@countersign/core/redaction";
import { type Profile, profileSchema } from "@countersign/policy";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { Json } from "@countersign/receipts";
import type { ApprovalRecord, Write } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import type { Pause } from "./pause.ts";
import type { Question, Resolution, Settlement } from "./question.ts";

/** An edit of a profile's file that would allow more than was accepted. */
export interface PolicyChange {
  /** As a person knows it, relative to the home. */
  readonly file: string;
  readonly profileId: string;
  readonly hash: string;
  /** What it would allow that isn't allowed now, one sentence each. */
  readonly widening: readonly string[];
  /** From what is in force to what the file says, as lines. */
  readonly diff: string;
}

/** One that waits or was refused, and what asks about it, if anything does. */
export type HeldChange = PolicyChange & { readonly approvalId?: string | undefined };

/** Long: the edit stays frozen anyway, and an unanswered question is asked again at the next start. */
const LIVE_MS = 86_400_000;

/** What an answer to the question does. */
interface Consequences {
  accept(facts: { readonly person: string; readonly assurance: string }): readonly Write[];
  refuse(): readonly Write[];
  /** The edit may apply from now on. */
  accepted(): void | Promise<void>;
}

/** Whether an outside edit that widens a profile may apply. Silence and every failure keep it frozen. */
export class PolicyQuestion implements Question {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly expiresAtMs: number;
  readonly liveMs = LIVE_MS;
  readonly card: ApprovalRecord;
  readonly #edit: PolicyChange;
  readonly #pause: Pick<Pause, "isPaused">;
  readonly #requiresDevice: () => boolean;
  readonly #consequences: Consequences;

  constructor(
    edit: PolicyChange,
    options: Consequences & {
      readonly clock: Clock;
      readonly pause: Pick<Pause, "isPaused">;
      /** Whether only a device's signature may widen this. */
      readonly requiresDevice: () => boolean;
    },
  ) {
    this.#edit = edit;
    this.#pause = options.pause;
    this.#requiresDevice = options.requiresDevice;
    this.#consequences = options;
    this.card = cardOf(edit, options.clock.wallMs() + LIVE_MS);
    this.approvalId = this.card.id;
    this.sessionId = this.card.sessionId;
    this.expiresAtMs = this.card.expiresAtMs;
  }

  settle(settlement: Settlement): Resolution {
    if (settlement.how !== "answered") {
      return { by: settlement.how === "expired" ? "timeout" : settlement.how, writes: [], done: () => ({}) };
    }
    if (settlement.answer.decision === "deny") {
      return { by: "person", writes: this.#consequences.refuse(), done: () => ({}) };
    }
    if (settlement.answer.scope !== undefined)
      throw new HubError("INVALID_PARAMS", "scope: an edit of the policy is accepted or not; it has none");
    if (this.#pause.isPaused)
      throw new HubError("UNAUTHORIZED", "Countersign is paused: resume before you allow anything.");
    if (this.#requiresDevice() && settlement.assurance.level !== "device") {
      throw new HubError("UNAUTHORIZED", "This profile takes only a device's signature for something dangerous");
    }
    return {
      by: "person",
      writes: this.#consequences.accept({ person: settlement.by.name, assurance: settlement.assurance.level }),
      done: async () => {
        await this.#consequences.accepted();
        return {};
      },
    };
  }

  revealed(card: ExecApprovalRequestPayload): ExecApprovalRequestPayload {
    return { ...card, riskReasons: [...this.#edit.widening] };
  }

  /** Nothing waits for it: the edit simply stays frozen. */
  failed(): void {
    // Asked again at the next start.
  }
}

function cardOf(edit: PolicyChange, expiresAtMs: number): ApprovalRecord {
  const id = uuidv7();
  const payload: ExecApprovalRequestPayload = {
    approvalId: id,
    agentId: `policy:${edit.profileId}`,
    command: `Accept the edit of ${edit.file}`,
    riskLevel: "dangerous",
    riskReasons: edit.widening.map(redactSentence),
    expiresAtMs,
    subject: "policy",
    agentName: "countersign",
    jail: "none",
    enforcement: "enforced",
    env: {},
    effects: [],
    proposalHash: edit.hash,
    diff: edit.diff,
  };
  return {
    id,
    subject: "policy",
    proposalKey: null,
    sessionId: `policy:${edit.profileId}`,
    profileId: edit.profileId,
    state: "pending",
    expiresAtMs,
    deliveredAtMs: null,
    payload: payload as unknown as Record<string, Json>,
    resolution: null,
  };
}

/** What changes from one profile to another, as lines: both written alike, so that only what they say differs. */
export function profileDiff(before: Profile, after: Profile): string {
  return policyDiff(profileSchema.parse(before), profileSchema.parse(after));
}

/** Of any two that are written in the same order; null where there was, or will be, none. */
export function policyDiff(before: object | null, after: object | null): string {
  return fileDiff(textOf(before), textOf(after));
}

function textOf(value: object | null): string {
  return value === null ? "" : `${JSON.stringify(value, null, 2)}\n`;
}
