import type { VNode } from "preact";
import { InlineApproval } from "../approval/index.ts";
import type { CardEnd } from "../hub/index.ts";
import { useHub } from "../hub/index.ts";
import { VisibleText } from "../ui/index.ts";

/** What the agent of this session asks, where it asks it: the same card as in the inbox. What was answered says so while the run goes on. */
export function SessionApprovals({ sessionKey, isRunning }: { sessionKey: string; isRunning: boolean }): VNode | null {
  const shown = useSessionCards(sessionKey).filter(({ end }) => end === undefined || isRunning);
  if (shown.length === 0) return null;
  return (
    <div class="chat-approvals">
      {shown.map(({ id, end }) => (end ? <Decided key={id} end={end} /> : <InlineApproval key={id} id={id} />))}
    </div>
  );
}

/** What this session's agent asked and somebody saw, the oldest first. */
export function useSessionCards(
  sessionKey: string,
): readonly { readonly id: string; readonly end: CardEnd | undefined }[] {
  const { approvals } = useHub();
  return approvals.ids.value.flatMap((id) => {
    const card = approvals.get(id)?.value;
    return card?.payload.agentId === sessionKey ? [{ id, end: card.end }] : [];
  });
}

function Decided({ end }: { end: CardEnd }): VNode {
  return (
    <p class="chat-decided quiet small" role="status">
      <VisibleText text={wordsFor(end)} />
    </p>
  );
}

function wordsFor(end: CardEnd): string {
  if (end.kind === "gone") return "It was answered while the hub was out of reach.";
  if (end.kind === "expired") return "Nobody answered in time.";
  const { decision, name, reason } = end.closed;
  const by = name === undefined ? "" : ` by ${name}`;
  if (decision === undefined) return "It no longer waits.";
  if (decision === "deny") return `Denied${by}${reason === undefined ? "." : `: ${reason}`}`;
  return decision === "allow-once" ? `Allowed once${by}.` : `Allowed${by}, and from now on.`;
}
