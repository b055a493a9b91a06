import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";

/** What an answer waits for. */
export interface LockFacts {
  readonly card: Pick<ExecApprovalRequestPayload, "subject">;
  readonly isLive: boolean;
  readonly isPaused: boolean;
  readonly isSending: boolean;
  readonly isEndSeen: boolean;
}

/** Why it can't be allowed now, in one sentence; undefined where it can. (That a card has just changed goes by without words.) */
export function whyLocked(facts: LockFacts): string | undefined {
  const cant = whyMute(facts);
  if (cant !== undefined) return cant;
  if (facts.isPaused) return "Paused: resume, and then it can be allowed.";
  if (facts.isEndSeen) return undefined;
  return facts.card.subject === "policy"
    ? "Scroll to the end of what would change first."
    : "Scroll to the command’s end first.";
}

/** Why nothing can be answered now. */
export function whyMute({ isLive, isSending }: Pick<LockFacts, "isLive" | "isSending">): string | undefined {
  if (isSending) return "Your answer is on its way.";
  return isLive ? undefined : "The hub is out of reach.";
}
