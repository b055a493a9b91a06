import type { ExecApprovalRequestPayload } from "@countersign/sdk";
import type { Hub } from "../../hub/hub.ts";
import type { Identity } from "../../identity.ts";
import type { Connection } from "./connection.ts";

const PAGE = 100;

/**
 * Sends what waits to somebody who has just come, oldest first, no faster than it is read: ten thousand questions don't
 * make a slow reader.
 */
export async function replayPending(
  hub: Hub,
  to: { readonly connection: Connection; readonly identity: Identity },
  send: (card: ExecApprovalRequestPayload) => boolean,
): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = await hub.approvals.list({ limit: PAGE, ...(after === undefined ? {} : { after }) }, to.identity);
    for (const card of page) {
      if (!send(card)) return;
      await to.connection.drained();
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.approvalId;
  }
}
