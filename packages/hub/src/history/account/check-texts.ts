import type { Story, StoryStep } from "@countersign/protocol/records";
import { REDACTION_MARK } from "@countersign/protocol/text";
import { type ProposalRecord, saltedHash, saltedProposalHash } from "@countersign/store";
import { hashProposal } from "../../proposals/index.ts";

type Texts = NonNullable<Story["texts"]>;

/**
 * Whether the texts in the store are those that the receipts hash: a receipt holds none of them, and whoever shows one has to be held to it.
 * What was redacted can't be compared any more, and outputs are forgotten after a while.
 */
export function checkTexts(proposal: ProposalRecord | null, steps: readonly StoryStep[]): Story["texts"] {
  const decided = steps.findLast(({ type }) => type === "decided")?.said.proposalHash;
  if (proposal === null || typeof decided !== "string") return null;
  const ended = steps.findLast(({ type }) => type === "ended")?.said ?? {};
  const { salt } = proposal.details;
  const known = typeof salt === "string" ? salt : undefined;
  return {
    command: compareCommand(proposal, decided, known),
    stdout: compareOutput(proposal.outcome?.stdout, ended.stdoutHash, known),
    stderr: compareOutput(proposal.outcome?.stderr, ended.stderrHash, known),
  };
}

function compareCommand(proposal: ProposalRecord, hash: string, salt: string | undefined): Texts["command"] {
  if (saltedProposalHash(hashProposal(proposal), salt) === hash) return "same";
  const { command, cwd, env } = proposal;
  return JSON.stringify([command, cwd, env]).includes(REDACTION_MARK) ? "redacted" : "other";
}

function compareOutput(text: unknown, hash: unknown, salt: string | undefined): Texts["stdout"] {
  if (typeof text !== "string" || typeof hash !== "string") return "gone";
  return saltedHash(text, salt) === hash ? "same" : "other";
}
