import type { Clock } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecrets, redactCommand } from "@countersign/core/redaction";
import type { Attachment } from "@countersign/jail";
import type { Outcome } from "@countersign/protocol/proposals";
import type { Store, StoreError, Write } from "@countersign/store";
import type { Assessment, Proposal } from "../proposals/index.ts";
import { endedFields } from "./decision-writes.ts";
import { endedDraft, startedDraft } from "./drafts.ts";

/** What was permitted, and by which permit. */
interface Permitted {
  readonly id: string;
  readonly assessment: Assessment;
}

export function startWrites(assessment: Assessment, start: Parameters<typeof startedDraft>[1]): Write[] {
  return [
    { op: "advance-proposal", key: assessment.proposal.key, from: "decided", to: "started" },
    { op: "append", draft: startedDraft(assessment, start) },
  ];
}

export interface End {
  readonly outcome: Outcome;
  /** Where the proposal stood: `decided` when it never started. */
  readonly from: "decided" | "started";
  readonly reportedBy: "hub" | "executor";
}

/** Puts on record how commands that were permitted start and end. */
export class RunRecords {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The intent is on record before the effect. A refusal means that another start won: nothing may be started. */
  async start({ assessment, id: permitId }: Permitted, input?: Attachment["inputKind"]): Promise<void> {
    const commit = await this.#store.commit(startWrites(assessment, { permitId, atMs: this.#clock.wallMs(), input }));
    if (!commit.ok)
      throw new HubError("INTERNAL", `The start could not be recorded (${commit.refusal}); nothing was started`);
  }

  /** Returns the outcome with the hash of its record. */
  async end({ assessment }: Permitted, end: End): Promise<Outcome> {
    const { key, sessionId, salt, command } = assessment.proposal;
    const atMs = this.#clock.wallMs();
    const { from, reportedBy } = end;
    const outcome = { ...withoutSecrets(end.outcome), ...editOf(assessment) };
    const commit = await this.#store.commit([
      { op: "advance-proposal", key, from, to: "ended", set: endedFields(assessment.proposal, outcome, atMs) },
      {
        op: "append",
        draft: endedDraft({ sessionId, proposalKey: key, salt, command }, outcome, { atMs, reportedBy }),
      },
    ]);
    if (!commit.ok) throw new HubError("NOT_FOUND", "This proposal has ended already");
    const receipt = commit.entries[0]?.hash;
    return receipt === undefined ? outcome : { ...outcome, receipt };
  }

  /** Ends what was decided, or was to be started, without that being confirmed in time; undefined: it has ended already. */
  async unconfirmed(proposal: Proposal, cause: StoreError): Promise<Outcome | undefined> {
    const { key, sessionId, salt, command } = proposal;
    const from = (await this.#store.proposal(key))?.state;
    if (from !== "decided" && from !== "started") return undefined;
    const outcome: Outcome = { kind: "not-started", reason: `Not started: ${cause.code}. ${cause.message}` };
    const atMs = this.#clock.wallMs();
    const commit = await this.#store.commit([
      { op: "advance-proposal", key, from, to: "ended", set: endedFields(proposal, outcome, atMs) },
      {
        op: "append",
        draft: endedDraft({ sessionId, proposalKey: key, salt, command }, outcome, { atMs, reportedBy: "hub" }),
      },
    ]);
    return commit.ok ? outcome : undefined;
  }
}

/** Whoever proposed something else is told what it was. */
function editOf({ edited }: Assessment): Pick<Outcome, "edited"> {
  return edited === undefined ? {} : { edited: { by: edited.by, command: redactCommand(edited.command) } };
}

/** Output was filtered as it came; what we or others say about it quotes paths and commands. */
export function withoutSecrets({ reason, ...outcome }: Outcome): Outcome {
  return reason === undefined ? outcome : { ...outcome, reason: filterSecrets(reason) };
}
