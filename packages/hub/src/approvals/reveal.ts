import type { Clock, Identity } from "@countersign/core/base";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { type Store, saltedProposalHash } from "@countersign/store";
import type { Approvals } from "./approvals.ts";
import { aboutRun } from "./exec-question.ts";

/** Shows a card with nothing hidden. That this person asked for it is on record before they see it; what they see never is. */
export async function reveal(
  approvalId: string,
  by: Identity,
  { approvals, store, clock }: { approvals: Approvals; store: Store; clock: Clock },
): Promise<ExecApprovalRequestPayload> {
  const question = approvals.question(approvalId);
  const proposal = aboutRun(question)?.proposal;
  const card = await approvals.get(approvalId, by);
  const revealed = await question.revealed(card);
  const about = { sessionId: proposal?.sessionId ?? null, proposalKey: proposal?.key ?? null };
  const proposalHash = saltedProposalHash(card.proposalHash, proposal?.salt);
  const body = { approvalId, person: by.name, proposalHash };
  await store.commit([{ op: "append", draft: { type: "revealed", ...about, atMs: clock.wallMs(), body } }]);
  // Throws if the approval has ended in the meantime.
  approvals.question(approvalId);
  return revealed;
}
