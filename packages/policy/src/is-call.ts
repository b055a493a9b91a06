import { readSandboxCall } from "./sandbox-call/read-sandbox-call.ts";
import { readToolCall } from "./tool-call/read-tool-call.ts";

/** Whether a text stands for a call of somebody else's: of an MCP server's tool, or into a sandbox. No shell is ever given one. */
export function isCall(text: string): boolean {
  return readToolCall(text) !== undefined || readSandboxCall(text) !== undefined;
}
