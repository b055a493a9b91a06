import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { GatewayError } from "@countersign/sdk";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApprovalCard } from "../approval/index.ts";
import { useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { Empty } from "../ui/index.ts";

/** The card that the address names: one that waits or has waited here, or one that expired before. */
export function OpenCard({
  id,
  expired,
  next,
}: {
  id: string;
  expired: readonly ExecApprovalRequestPayload[];
  next: ComponentChildren;
}): VNode {
  const card = useHub().approvals.get(id)?.value;
  const late = expired.find(({ approvalId }) => approvalId === id);
  // Where it ended while there was no connection, that list says how.
  const isKnown = card !== undefined && !(card.end?.kind === "gone" && late !== undefined);
  if (isKnown) return <ApprovalCard card={card} next={next} />;
  if (late === undefined) return <MissingCard id={id} />;
  const end = { kind: "expired", closed: { approvalId: id, by: "timeout" }, atMs: late.expiresAtMs } as const;
  return <ApprovalCard card={{ payload: late, end }} next={next} />;
}

/** An address can be older than the page: whether it waits is the hub's to say. What does is on its way here. */
function MissingCard({ id }: { id: string }): VNode {
  const hub = useHub();
  const [isOver, setOver] = useState(false);
  const isLive = hub.state.value === "live";
  useEffect(() => {
    if (!isLive) return;
    hub.request("getExecApproval", { approvalId: id }).catch((cause: unknown) => {
      if (!(cause instanceof GatewayError)) throw cause;
      if (cause.code === "NOT_FOUND") setOver(true);
    });
  }, [isLive, id]);
  if (!isOver) return <Empty title="Looking for it…" />;
  return (
    <Empty title="This one doesn’t wait any more.">
      <p>
        <a href={hrefOf("story", [id])}>What became of it</a> · <a href={hrefOf("inbox")}>Inbox</a>
      </p>
    </Empty>
  );
}
