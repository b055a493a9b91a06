import type { Identity } from "@countersign/core/base";
import { type Answer, outsideIdSchema } from "@countersign/protocol/proposals";
import * as z from "zod";
import type { Hub } from "../../hub/index.ts";
import { mayDo } from "../../identity/index.ts";
import { followApproval } from "./follow-approval.ts";
import { readInput } from "./read-input.ts";
import { ToolError } from "./tool-error.ts";

/** A request for approval (seed 003). */
export interface ApprovalRequest {
  readonly approvalId: string;
  readonly command: string;
  readonly workingDir: string;
  readonly sessionKey: string;
}

export interface ToolBinding {
  readonly hub: Hub;
  /** The proposer. Its name selects the configured agent. */
  readonly agent: Identity;
  /**
   * The identity that `resolve` and `reject` answer as. Without one, approvals are answered only through the hub's API.
   */
  readonly approver?: Identity;
  /** The directory where an agent of this user says it works. The configuration takes precedence. */
  readonly workspace?: string | undefined;
}

/**
 * The hub's approvals in the form of seed 003. Decides and stores nothing: the hub's policy asks, its approvals wait,
 * and answers are checked like those of the API.
 */
export class ApprovalManager {
  readonly binding: ToolBinding;
  /** Answers being stored, so that the same approval can't be answered twice. */
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
   * Resolves if the caller may run the command itself; rejects with DeniedError. The hub can neither jail nor observe
   * such a run, and records it as handed over. Prefer `BashTool`.
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

  /**
   * Allows a pending approval once. Returns whether it was pending; a refusal of the answer (such as by a pause) is
   * only logged.
   */
  resolve(approvalId: string): boolean {
    return this.#answer(approvalId, { decision: "allow-once" });
  }

  reject(approvalId: string, reason?: string): boolean {
    // A reason that is too long must not prevent a denial.
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

/** Limit of the wire. */
const MAX_REASON = 1024;
const UUID = z.uuid();
const requestSchema = z.strictObject({
  approvalId: UUID,
  command: z.string(),
  workingDir: z.string(),
  sessionKey: outsideIdSchema,
});

/** Denial (seed 003). The message is the given reason, or empty. */
export class DeniedError extends Error {
  constructor(reason?: string) {
    super(reason ?? "");
    this.name = "DeniedError";
  }
}
