import { type Clock, localAgent } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { wordsForAgent } from "@countersign/protocol/describe";
import {
  type PinToolsParams,
  pinToolsSchema,
  proposeToolCallSchema,
  reportToolCallSchema,
  type ToolCallAnswer,
  type ToolStage,
} from "@countersign/protocol/hub";
import { uuidv7 } from "uuidv7";
import { followApproval } from "../../agent/tools/index.ts";
import type { Hub } from "../../hub/index.ts";

/** Identity of `countersign mcp` and its proxy. `agents.mcp` configures it. */
export const MCP_AGENT = localAgent("mcp");

/** Longer than any call: the connection says when a call is over. */
const CALL_MS = 86_400_000;

/**
 * The calls that one proxy connection has permits for. If the connection is cut, calls without a report are recorded as
 * aborted at once.
 */
export class HeldToolCalls {
  readonly #hub: Hub;
  readonly #clock: Clock;
  readonly #out = new Set<string>();

  constructor(hub: Hub, clock: Clock, gone: AbortSignal) {
    this.#hub = hub;
    this.#clock = clock;
    gone.addEventListener("abort", () => this.#giveUp(), { once: true });
  }

  get size(): number {
    return this.#out.size;
  }

  async pin(raw: unknown): Promise<Record<string, never>> {
    const params: PinToolsParams = readOrRefuse(pinToolsSchema, raw, "Not a list of tools: ");
    await this.#hub.toolPins.pin(params, MCP_AGENT);
    return {};
  }

  async propose(
    raw: unknown,
    { signal, onStage }: { signal: AbortSignal; onStage(stage: ToolStage): void },
  ): Promise<ToolCallAnswer> {
    const { seen, ...call } = readOrRefuse(proposeToolCallSchema, raw, "Not a tool call: ");
    const known = { seen, by: MCP_AGENT };
    const change = await this.#hub.toolPins.changeOf(call.server, call.tool, known);
    const approvalId = uuidv7();
    const followed = followApproval(this.#hub, approvalId, () => onStage("waiting"));
    const fromMs = this.#clock.monotonicMs();
    try {
      const card = { approvalId, ...(change?.diff === undefined ? {} : { diff: change.diff }) };
      const how = { enforcement: "enforced", card, signal, mustAskReason: change?.mustAskReason } as const;
      const passed = await this.#hub.proposals.proposeToolCall({ ...call, runTimeoutMs: CALL_MS }, MCP_AGENT, how);
      if (!("permit" in passed)) return refused(passed, this.#clock.monotonicMs() - fromMs);
      this.#out.add(passed.permit.id);
      if (change) await this.#hub.toolPins.accept(call.server, call.tool, known);
      if (signal.aborted) this.#giveUp();
      return { permit: passed.permit.id };
    } finally {
      followed.stop();
    }
  }

  async report(raw: unknown): Promise<Record<string, never>> {
    const { permit, outcome } = readOrRefuse(reportToolCallSchema, raw, "Not a report: ");
    await this.#hub.report(permit, outcome, MCP_AGENT);
    this.#out.delete(permit);
    return {};
  }

  #giveUp(): void {
    const reason = "The proxy went away while the tool ran; what it did until then is unknown";
    for (const permit of this.#out) {
      this.#out.delete(permit);
      this.#hub.report(permit, { kind: "aborted", reason }, MCP_AGENT).catch((cause) => {
        this.#hub.log.error({ permit, err: cause }, "a tool call that was cut off could not be recorded");
      });
    }
  }
}

function refused(passed: object, waitedMs: number): ToolCallAnswer {
  // Without a hand-back: a proxy has no prompt of its own.
  const outcome = "outcome" in passed ? (passed as Extract<ToolCallAnswer, { outcome: unknown }>).outcome : undefined;
  if (!outcome) return { outcome: { kind: "not-started" }, words: "It isn't allowed." };
  return { outcome, words: wordsForAgent(outcome, waitedMs) ?? "It isn't allowed." };
}
