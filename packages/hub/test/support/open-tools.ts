import type { TestContext } from "node:test";
import type { Identity } from "@countersign/core/base";
import type { Answer, Outcome } from "@countersign/protocol/proposals";
import { hubTools } from "../../src/agent/facade/hub-tools.ts";
import { ApprovalManager } from "../../src/agent/tools/approval-manager.ts";
import type { HubTool } from "../../src/agent/tools/hub-tool.ts";
import type { ToolContext, ToolResult } from "../../src/agent/tools/tool.ts";
import { ALICE, openHub, type TestHub, type TestHubOptions } from "./open-hub.ts";

export const ASSISTANT: Identity = {
  id: "assistant-token",
  role: "agent",
  name: "assistant",
  sameUser: false,
  unattended: false,
};

type ToolName = "bash" | "read_file" | "write_file" | "edit_file" | "list_dir";

export interface TestTools extends TestHub {
  readonly approvals: ApprovalManager;
  readonly context: ToolContext;
  /** What was sent to the client. */
  readonly events: { readonly event: string; readonly data: Record<string, unknown> }[];
  tool(name: ToolName): HubTool;
  execute(name: ToolName, input: unknown): Promise<ToolResult>;
  run(name: ToolName, input: unknown): Promise<Outcome>;
  /** The person answers the next approval so; resolves to its card. */
  answer(answer: Answer): Promise<Awaited<ReturnType<TestHub["asked"]>>>;
}

export const CONFIG = { tools: { timeout: 60_000, maxOutputBytes: 64 * 1024 } };

/** A hub with its tools, called as code written against seed 003 does. */
export async function openTools(t: TestContext, options: TestHubOptions = {}): Promise<TestTools> {
  // Its own profile would ask about everything.
  const test = await openHub(t, {
    ...options,
    config: { agents: { assistant: { profile: "default" } }, ...options.config },
  });
  const approvals = new ApprovalManager({ hub: test.hub, agent: ASSISTANT, approver: ALICE });
  const tools = new Map(hubTools(approvals, CONFIG).map((tool) => [tool.name, tool]));
  const events: TestTools["events"] = [];
  const context: ToolContext = {
    sessionKey: "s1",
    runId: "r1",
    sendEvent: (event, data) => events.push({ event, data: data as Record<string, unknown> }),
    config: CONFIG,
  };
  const tool = (name: ToolName) => tools.get(name) as HubTool;
  return Object.assign(test, {
    approvals,
    context,
    events,
    tool,
    execute: (name: ToolName, input: unknown) => tool(name).execute(input, context),
    run: (name: ToolName, input: unknown) => tool(name).run(input, context),
    async answer(answer: Answer) {
      const card = await test.asked();
      await test.hub.answer(card.approvalId, answer, ALICE);
      return card;
    },
  });
}
