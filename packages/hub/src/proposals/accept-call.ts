import type { Identity } from "@countersign/core/base";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { MAX_COMMAND_LENGTH, ToolCallError, writeSandboxCall, writeToolCall } from "@countersign/policy";
import { type ProposeExecParams, proposeExecSchema } from "@countersign/protocol/proposals";
import type { ProposeSandboxCallParams } from "@countersign/protocol/records";
import * as z from "zod";

const MAX_NAME = 256;
const name = z.string().min(1).max(MAX_NAME);

/** Kept as it came: a schema that copies members would lose `__proto__`. */
const argumentsSchema = z.custom<{ readonly [key: string]: unknown }>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

const { cwd, reason, proposalId, runTimeoutMs, session } = proposeExecSchema.shape;

const toolCallSchema = z.strictObject({
  server: name,
  tool: name,
  arguments: argumentsSchema,
  ...{ cwd, reason, proposalId, runTimeoutMs, session },
});

/** A tool call as the proposal that it is: its text is what policy reads, people see and receipts bind. */
export function toolCallProposal(raw: unknown): ProposeExecParams {
  const { server, tool, arguments: given, ...rest } = readOrRefuse(toolCallSchema, raw, "Not a tool call: ");
  const command = written({ server, tool, arguments: given });
  if (command.length > MAX_COMMAND_LENGTH) {
    const length = `${command.length} characters`;
    throw new HubError(
      "LIMIT",
      `The call is ${length} long; more than ${MAX_COMMAND_LENGTH} nobody can decide about (limit: toolCall)`,
    );
  }
  return { command, ...rest };
}

function written(call: Parameters<typeof writeToolCall>[0]): string {
  try {
    return writeToolCall(call);
  } catch (cause) {
    if (!(cause instanceof ToolCallError)) throw cause;
    const code = cause.code === "TOO_DEEP" ? "LIMIT" : "INVALID_PARAMS";
    throw new HubError(code, `${cause.message}${code === "LIMIT" ? " (limit: toolCallDepth)" : ""}`, { cause });
  }
}

const RUN_MS = 3_600_000;

/**
 * A call into a sandbox as the proposal that it is: its text is what policy reads, people see and receipts bind. Its directory is the root of
 * this machine, which says nothing: where it happens is in the text, and is the sandbox's.
 */
export function sandboxCallProposal(
  { id, act, runTimeoutMs = RUN_MS }: ProposeSandboxCallParams,
  { id: owner }: Identity,
): ProposeExecParams {
  const command = writeSandboxCall({ sandbox: id, ...act });
  if (command.length > MAX_COMMAND_LENGTH) {
    const length = `${command.length} characters`;
    throw new HubError(
      "LIMIT",
      `The call is ${length} long; more than ${MAX_COMMAND_LENGTH} nobody can decide about (limit: sandboxCall)`,
    );
  }
  // A session belongs to who made it: another token's gate, at a sandbox of the same name, has another.
  return { command, cwd: "/", session: `execd:${id}:${owner.slice(-8)}`, runTimeoutMs };
}
