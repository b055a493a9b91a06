import type { Clock, Identity, Limits } from "@countersign/core/base";
import type { CalledTool, ToolStage } from "@countersign/protocol/hub";
import { uuidv7 } from "uuidv7";
import { hubTools } from "../../agent/facade/index.ts";
import { callTool } from "../../agent/index.ts";
import { ApprovalManager } from "../../agent/tools/index.ts";
import type { Hub } from "../../hub/index.ts";

/** A call of one of the hub's own tools, over any MCP transport. */
export interface OwnToolCall {
  readonly tool: string;
  readonly input: unknown;
  readonly session: string;
  readonly identity: Identity;
  readonly workspace?: string | undefined;
  /** Aborting withdraws a pending approval and kills a running command. */
  readonly signal: AbortSignal;
  onStage(stage: ToolStage): void;
}

/**
 * Runs a tool through the hub like any proposal. A denial, and everything else that never ran, is an error in words for
 * agents.
 */
export async function callOwnTool(call: OwnToolCall, hub: Hub, clock: Clock, limits: Limits): Promise<CalledTool> {
  const { identity, session, signal, workspace, onStage } = call;
  const manager = new ApprovalManager({ hub, agent: identity, workspace });
  const tools = new Map(hubTools(manager, hub.config).map((tool) => [tool.name, tool]));
  const asked = new Set<string>();
  const stages = hub.news.listen((event) => {
    if ("closed" in event && asked.delete(event.closed.approvalId)) onStage("running");
  });
  const context = {
    sessionKey: session,
    runId: uuidv7(),
    sendEvent: (_: string, data: unknown) => {
      asked.add((data as { readonly approvalId: string }).approvalId);
      onStage("waiting");
    },
    config: hub.config,
    signal,
  };
  try {
    const input = JSON.stringify(call.input ?? {});
    const options = { tools, context, clock, maxBytes: limits.toolText };
    const { text, outcome } = await callTool({ callId: context.runId, tool: call.tool, input }, options);
    return { text, isError: outcome?.kind !== "exited", ...(outcome === undefined ? {} : { outcome }) };
  } finally {
    stages();
  }
}
