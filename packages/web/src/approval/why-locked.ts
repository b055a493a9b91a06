import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";

/** The conditions that an answer must meet. */
export interface LockFacts {
  readonly card: Pick<ExecApprovalRequestPayload, "subject">;
  readonly isLive: boolean;
  readonly isPaused: boolean;
  readonly isSending: boolean;
  readonly isEndSeen: boolean;
}

/** Why the command can't be allowed now, in one sentence; undefined if it can. The short wait after a change of the card has no sentence. */
export function whyLocked(facts: LockFacts): string | undefined {
  const cant = whyMute(facts);
  if (cant !== undefined) return cant;
  if (facts.isPaused) return "Paused: resume to allow it.";
  if (facts.isEndSeen) return undefined;
  return facts.card.subject === "policy"
    ? "Scroll to the end of what would change first."
    : "Scroll to the command’s end first.";
}

/** Why no answer can be given now. */
export function whyMute({ isLive, isSending }: Pick<LockFacts, "isLive" | "isSending">): string | undefined {
  if (isSending) return "Sending your answer…";
  return isLive ? undefined : "The hub is unreachable.";
}
