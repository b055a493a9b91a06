import type { Limits } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { callToolSchema, type ToolStage } from "@countersign/protocol/hub";
import type { OperationName } from "../../identity/index.ts";
import { callOwnTool } from "./call-own-tool.ts";
import { type HeldToolCallRooms, type HeldToolCalls, MCP_AGENT } from "./held-tool-calls.ts";

interface McpRooms extends HeldToolCallRooms {
  readonly limits: Limits;
  readonly calls: HeldToolCalls;
  readonly send: (line: object) => Promise<void>;
  readonly gone: AbortSignal;
}

/** What `countersign mcp` and its proxy ask over the local socket; undefined for what is none of theirs. */
export async function answerMcp(
  operation: OperationName,
  params: unknown,
  rooms: McpRooms,
): Promise<object | undefined> {
  const { calls, send, gone } = rooms;
  // Nobody waits for it to arrive: it only says that something goes on.
  const onStage = (stage: ToolStage) => void send({ stage });
  switch (operation) {
    case "callTool": {
      const { cwd: workspace, ...call } = readOrRefuse(callToolSchema, params, "Not a call: ");
      return await callOwnTool({ ...call, identity: MCP_AGENT, workspace, signal: gone, onStage }, rooms);
    }
    case "pinTools":
      return await calls.pin(params);
    case "proposeToolCall":
      return await calls.propose(params, { signal: gone, onStage });
    case "reportToolCall":
      return await calls.report(params);
    default:
      return undefined;
  }
}
