import type { VNode } from "preact";
import { useHub } from "../hub/index.ts";
import { ApprovalCard } from "./approval-card.tsx";

/** The same card as in the inbox, among other things. */
export function InlineApproval({ id }: { id: string }): VNode | null {
  const card = useHub().approvals.get(id)?.value;
  return card === undefined ? null : <ApprovalCard card={card} isInline />;
}
