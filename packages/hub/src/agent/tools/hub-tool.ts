import { strict as assert } from "node:assert";
import type { Outcome } from "@countersign/protocol/proposals";
import { uuidv7 } from "uuidv7";
import * as z from "zod";
import { askedEvent } from "../../events/index.ts";
import type { ToolBinding } from "./approval-manager.ts";
import { followApproval } from "./follow-approval.ts";
import { readInput } from "./read-input.ts";
import { toResult } from "./to-result.ts";
import type { CallResult, Tool, ToolConfig, ToolContext, ToolDefinition, ToolResult } from "./tool.ts";

/** The hub and identities that a tool works for. */
export interface Bound {
  readonly binding: ToolBinding;
}

interface ToolProposal {
  readonly command: string;
  /** Real path inside one of `roots`. */
  readonly cwd: string;
  readonly diff?: string;
  readonly timeoutMs?: number | undefined;
}

/** What a tool's call can use: the agent's directories, and proposing commands. */
export interface ToolHost {
  /** Real paths, the workspace first. */
  readonly roots: readonly string[];
  propose(proposal: ToolProposal): Promise<CallResult>;
}

/**
 * A tool that acts only through commands that it proposes to the hub. Classification, decision, card, permit, jail and
 * receipt are the same as for any proposal.
 */
export abstract class HubTool<S extends z.ZodType = z.ZodType> implements Tool {
  abstract readonly name: string;
  abstract readonly description: string;
  abstract readonly inputSchema: S;
  abstract readonly requiresApproval: boolean;
  readonly #manager: Bound;
  readonly #config: ToolConfig;

  constructor(approvalManager: Bound, config: ToolConfig) {
    this.#manager = approvalManager;
    this.#config = config;
  }

  protected abstract call(input: z.infer<S>, host: ToolHost): Promise<CallResult>;

  toDefinition(): ToolDefinition {
    return {
      name: this.name,
      description: this.description,
      inputSchema: z.toJSONSchema(this.inputSchema, { io: "input" }),
    };
  }

  /** Returns the outcome in seed 003's form. Throws ToolError for refused input. */
  async execute(input: unknown, context: ToolContext): Promise<ToolResult> {
    return toResult(await this.#call(input, context), this.#config.tools.maxOutputBytes);
  }

  /** Returns the outcome as recorded. Throws ToolError for refused input. */
  async run(input: unknown, context: ToolContext): Promise<Outcome> {
    return (await this.#call(input, context)).outcome;
  }

  #call(input: unknown, context: ToolContext): Promise<CallResult> {
    const { hub, agent, workspace } = this.#manager.binding;
    const read = readInput(this.inputSchema, input);
    return this.call(read, {
      roots: hub.rootsOf(agent, workspace),
      propose: (proposal) => this.#propose(proposal, context),
    });
  }

  async #propose({ command, cwd, diff, timeoutMs }: ToolProposal, context: ToolContext): Promise<CallResult> {
    const { hub, agent, workspace } = this.#manager.binding;
    const approvalId = uuidv7();
    const followed = followApproval(hub, approvalId, (card) => {
      context.sendEvent("exec.approval_request", askedEvent(card));
      this.#delivered(approvalId);
    });
    try {
      const runTimeoutMs = timeoutMs ?? this.#config.tools.timeout;
      const proposalId = uuidv7();
      const proposal = { command, cwd, session: context.sessionKey, runTimeoutMs, proposalId };
      context.onProposed?.(proposalId);
      const card = { approvalId, ...(diff === undefined ? {} : { diff }) };
      const call = { executor: { kind: "local" }, card, signal: context.signal, workspace } as const;
      const passed = await hub.proposals.proposeByTool(proposal, agent, call);
      assert("outcome" in passed);
      return { outcome: passed.outcome, closed: followed.closed };
    } finally {
      followed.stop();
    }
  }

  /** If an approver is bound to the same ApprovalManager, `sendEvent` has reached somebody who can answer. */
  #delivered(approvalId: string): void {
    const { hub, approver } = this.#manager.binding;
    if (!approver) return;
    hub.approvals.delivered([approvalId]).catch((cause) => {
      hub.log.error({ approvalId, err: cause }, "a delivery could not be recorded");
    });
  }
}
