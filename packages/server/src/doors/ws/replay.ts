import type { ExecApprovalRequestPayload } from "@countersign/sdk";
import type { Hub } from "../../hub/hub.ts";
import type { Identity } from "../../identity.ts";
import type { Peer } from "./peer.ts";

const PAGE = 100;
const UNCOUNTED = { role: "observer" } as const;

/**
 * Sends what waits to somebody who has just come, oldest first, no faster than it is read: ten thousand questions don't
 * make a slow reader.
 */
export async function replayPending(
  hub: Hub,
  to: { readonly connection: Peer; readonly identity: Identity },
  send: (card: ExecApprovalRequestPayload) => boolean,
): Promise<void> {
  for (let after: string | undefined; ; ) {
    // As nobody: what counts as delivered is what has come, below.
    const page = await hub.approvals.list({ limit: PAGE, ...(after === undefined ? {} : { after }) }, UNCOUNTED);
    const sent: string[] = [];
    for (const card of page) {
      // One that is too large for a frame doesn't hide those after it.
      if (hub.approvals.isWaiting(card.approvalId) && send(card)) sent.push(card.approvalId);
      await to.connection.drained();
      if (to.connection.gone.aborted) return;
    }
    if (to.identity.role === "approver" && (await to.connection.confirmed())) await hub.approvals.delivered(sent);
    if (page.length < PAGE) return;
    after = page.at(-1)?.approvalId;
  }
}
