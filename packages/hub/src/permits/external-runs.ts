import type { Clock, Identity, Limits, Log, Timer } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecretsDeep } from "@countersign/core/redaction";
import type { Withdrawal } from "@countersign/jail";
import { type Outcome, outcomeSchema } from "@countersign/protocol/proposals";
import type { End, RunRecords } from "../record/index.ts";
import type { StartCheck, StartRefusal } from "./check-again.ts";
import type { Permit } from "./permit.ts";

/** Only a run can be reported; what the hub itself decides about a proposal can't be claimed by an executor. */
const REPORTABLE = new Set<Outcome["kind"]>(["exited", "signalled", "timed-out", "aborted", "not-started"]);

/**
 * Permits handed to executors that aren't us: an agent, an MCP server, execd. The permit is the answer; what happened is
 * recorded as the executor reports it, once. One that never reports is recorded as interrupted.
 */
export class ExternalRuns {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #startCheck: StartCheck;
  readonly #records: RunRecords;
  readonly #out = new Map<string, { readonly permit: Permit; readonly overdue: Timer }>();

  constructor(options: {
    readonly clock: Clock;
    readonly limits: Limits;
    readonly log: Log;
    readonly startCheck: StartCheck;
    readonly records: RunRecords;
  }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#log = options.log;
    this.#startCheck = options.startCheck;
    this.#records = options.records;
  }

  /** `from`: whether its start is on record. */
  async handOver(
    permit: Permit,
    { from, withdrawal }: { readonly from: End["from"]; readonly withdrawal: Withdrawal },
  ): Promise<{ permit: Permit } | { outcome: Outcome }> {
    const refusal = (await this.#startCheck.check(permit, withdrawal)) ?? this.#tooMany(permit);
    if (refusal) {
      const outcome: Outcome = { kind: "not-started", ...refusal };
      return { outcome: await this.#records.end(permit, { outcome, from, reportedBy: "hub" }) };
    }
    if (from === "decided") await this.#records.start(permit);
    const late = this.#startCheck.reasonToStopNow(permit, withdrawal);
    if (late) {
      const outcome: Outcome = { kind: "not-started", ...late };
      return { outcome: await this.#records.end(permit, { outcome, from: "started", reportedBy: "hub" }) };
    }
    const { proposal } = permit.assessment;
    const waitMs = isPrompted(permit) ? this.#limits.promptMs : this.#limits.permitMs;
    const overdue = this.#clock.after(proposal.runTimeoutMs + waitMs, () => this.#giveUp(permit));
    this.#out.set(permit.id, { permit, overdue });
    return { permit };
  }

  async report(permitId: string, raw: unknown, by: Identity): Promise<Outcome> {
    const held = this.#out.get(permitId);
    if (!held || held.permit.assessment.proposal.ownerId !== by.id)
      throw new HubError("NOT_FOUND", "There's no such permit");
    const reading = outcomeSchema.safeParse(raw);
    if (!reading.success || !REPORTABLE.has(reading.data.kind)) {
      throw new HubError(
        "INVALID_PARAMS",
        `Not an outcome that can be reported: kind must be ${[...REPORTABLE].join(", ")}`,
      );
    }
    const { receipt: _, ...outcome } = filterSecretsDeep(reading.data);
    return await this.#end(permitId, held, { outcome, from: "started", reportedBy: "executor" });
  }

  /** Of one session, the oldest first. */
  outOf(ownerId: string, sessionId: string): Permit[] {
    const permits = [...this.#out.values()].map(({ permit }) => permit);
    return permits.filter(({ assessment: { proposal } }) => {
      return proposal.ownerId === ownerId && proposal.sessionId === sessionId;
    });
  }

  #tooMany({ assessment: { proposal } }: Permit): StartRefusal | undefined {
    const { permitsOut, permitsOutPerSession } = this.#limits;
    if (this.#out.size >= permitsOut) {
      return { reason: `${this.#out.size} permits are out already, and their ends untold (limit: permitsOut)` };
    }
    const ofSession = this.outOf(proposal.ownerId, proposal.sessionId).length;
    if (ofSession < permitsOutPerSession) return undefined;
    return {
      reason: `${ofSession} permits of this session are out already, and their ends untold (limit: permitsOutPerSession)`,
    };
  }

  close(): void {
    for (const { overdue } of this.#out.values()) overdue.cancel();
    this.#out.clear();
  }

  #giveUp(permit: Permit): void {
    const held = this.#out.get(permit.id);
    if (!held) return;
    const reason = isPrompted(permit) ? UNTOLD : "The executor never reported how it ended";
    const outcome: Outcome = { kind: "interrupted", reason };
    this.#end(permit.id, held, { outcome, from: "started", reportedBy: "hub" }).catch((cause) => {
      this.#log.error({ permit: permit.id, err: cause }, "an unreported run could not be recorded");
    });
  }

  async #end(permitId: string, held: { permit: Permit; overdue: Timer }, end: End): Promise<Outcome> {
    const outcome = await this.#records.end(held.permit, end);
    held.overdue.cancel();
    this.#out.delete(permitId);
    return outcome;
  }
}

/** Somebody may take their time there, and a refusal isn't told to us. */
function isPrompted({ assessment }: Permit): boolean {
  return assessment.decision.by === "agent-prompt";
}
const UNTOLD = "Nothing was reported: the agent's own prompt may have refused it";
