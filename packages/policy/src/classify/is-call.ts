import { readSandboxCall } from "./read-sandbox-call.ts";
import { readToolCall } from "./read-tool-call.ts";

/** Whether a text stands for a call of somebody else's: of an MCP server's tool, or into a sandbox. No shell is ever given one. */
export function isCall(text: string): boolean {
  return readToolCall(text) !== undefined || readSandboxCall(text) !== undefined;
}
