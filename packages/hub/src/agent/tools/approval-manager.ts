import type { Identity } from "@countersign/core/base";
import { type Answer, outsideIdSchema } from "@countersign/protocol/proposals";
import * as z from "zod";
import type { Hub } from "../../hub/index.ts";
import { mayDo } from "../../identity/index.ts";
import { followApproval } from "./follow-approval.ts";
import { readInput } from "./read-input.ts";
import { ToolError } from "./tool-error.ts";

/** Seed 003's. */
export interface ApprovalRequest {
  readonly approvalId: string;
  readonly command: string;
  readonly workingDir: string;
  readonly sessionKey: string;
}

export interface ToolBinding {
  readonly hub: Hub;
  /** Who proposes; its name says which configured agent it is. */
  readonly agent: Identity;
  /** In whose name `resolve` and `reject` answer. Without one, approvals are answered through the hub's doors only. */
  readonly approver?: Identity;
  /** Where an agent of this user works, by its own account; the configuration's word comes first. */
  readonly workspace?: string | undefined;
}

/**
 * Seed 003's view of the hub's approvals. Nothing is decided or kept here: the hub's policy says what is asked about, its
 * approvals wait, and an answer is one like those that come through a door.
 */
export class ApprovalManager {
  readonly binding: ToolBinding;
  /** Answers on their way into the store: the same can't be given twice meanwhile. */
  readonly #answering = new Set<string>();

  constructor(binding: ToolBinding) {
    const { agent, approver } = binding;
    if (!mayDo(agent.role, "propose")) throw new ToolError("WRONG_ROLE", `A ${agent.role} may not propose`);
    if (approver && !mayDo(approver.role, "answer")) {
      throw new ToolError("WRONG_ROLE", `A ${approver.role} may not answer approvals`);
    }
    this.binding = binding;
  }

  /**
   * For code that runs the command itself. Resolves when it may, asked or not; rejects with DeniedError. The hub can neither
   * jail nor see such a run, and records it as handed over; `BashTool` is the better way.
   */
  async request(req: ApprovalRequest): Promise<void> {
    const { hub, agent } = this.binding;
    const { approvalId, command, workingDir, sessionKey } = readInput(requestSchema, req);
    if (hub.approvals.isWaiting(approvalId)) throw new ToolError("INVALID_INPUT", "approvalId: is in use");
    const followed = followApproval(hub, approvalId);
    try {
      const proposal = { command, cwd: workingDir, session: sessionKey };
      const executor = { kind: "external", enforcement: "none" } as const;
      const passed = await hub.proposals.proposeByTool(proposal, agent, { executor, card: { approvalId } });
      if (!("outcome" in passed)) return;
      const { closed } = followed;
      throw new DeniedError(closed?.by === "person" ? closed.reason : passed.outcome.reason);
    } finally {
      followed.stop();
    }
  }

  /** Allows it once. True when it waited: the answer is then on its way, and what refuses it (a pause) is logged. */
  resolve(approvalId: string): boolean {
    return this.#answer(approvalId, { decision: "allow-once" });
  }

  reject(approvalId: string, reason?: string): boolean {
    // One that is too long must not be why a denial isn't taken.
    const cut = reason?.slice(0, MAX_REASON).toWellFormed();
    return this.#answer(approvalId, { decision: "deny", ...(cut === undefined ? {} : { reason: cut }) });
  }

  hasPending(approvalId: string): boolean {
    if (!UUID.safeParse(approvalId).success || this.#answering.has(approvalId)) return false;
    return this.binding.hub.approvals.isWaiting(approvalId);
  }

  #answer(approvalId: string, answer: Answer): boolean {
    const { hub, approver } = this.binding;
    if (!approver) throw new ToolError("WRONG_ROLE", "Nobody was named in whose name this could be answered");
    if (!this.hasPending(approvalId)) return false;
    this.#answering.add(approvalId);
    hub
      .answer(approvalId, answer, approver)
      .catch((cause) => hub.log.error({ approvalId, err: cause }, "an answer was not taken; nothing follows from it"))
      .finally(() => this.#answering.delete(approvalId));
    return true;
  }
}

/** As long as the wire takes. */
const MAX_REASON = 1024;
const UUID = z.uuid();
const requestSchema = z.strictObject({
  approvalId: UUID,
  command: z.string(),
  workingDir: z.string(),
  sessionKey: outsideIdSchema,
});

/** Seed 003's: the message is the reason that was given, if any. */
export class DeniedError extends Error {
  constructor(reason?: string) {
    super(reason ?? "");
    this.name = "DeniedError";
  }
}
