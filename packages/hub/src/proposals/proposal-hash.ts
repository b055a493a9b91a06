import { sha256Hex } from "@countersign/core/base";
import { canonicalize } from "@countersign/receipts";
import type { Proposal } from "./proposal.ts";

/** Names what an approver is asked about; the SDK computes the same from what it displays. */
export function hashProposal({ command, cwd, env }: Pick<Proposal, "command" | "cwd" | "env">): string {
  return `sha256:${sha256Hex(canonicalize({ command, cwd, env }))}`;
}
