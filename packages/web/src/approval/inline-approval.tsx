import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useHub } from "../hub/use-hub.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { Memory } from "./memory.ts";

/** The same card as in the inbox, among other things. */
export function InlineApproval({ id }: { id: string }): VNode | null {
  const card = useHub().approvals.get(id)?.value;
  const memory = useRef(new Memory()).current;
  return card === undefined ? null : <ApprovalCard card={card} memory={memory} isInline />;
}
