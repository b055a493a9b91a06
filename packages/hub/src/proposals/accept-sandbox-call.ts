import type { Identity } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { MAX_COMMAND_LENGTH, writeSandboxCall } from "@countersign/policy";
import type { ProposeExecParams } from "@countersign/protocol/proposals";
import type { ProposeSandboxCallParams } from "@countersign/protocol/records";

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
