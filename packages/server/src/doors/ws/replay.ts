import type { ExecApprovalRequestPayload } from "@countersign/sdk";
import type { Hub } from "../../hub/hub.ts";
import type { Identity } from "../../identity.ts";
import type { Connection } from "./connection.ts";

const PAGE = 100;

/**
 * Sends what waits to somebody who has just come, oldest first: a page at a time, and the next only when the last has
 * been read, so that ten thousand questions don't count as a slow reader.
 */
export async function replayPending(
  hub: Hub,
  to: { readonly connection: Connection; readonly identity: Identity },
  send: (card: ExecApprovalRequestPayload) => boolean,
): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = await hub.approvals.list({ limit: PAGE, ...(after === undefined ? {} : { after }) }, to.identity);
    for (const card of page) if (!send(card)) return;
    if (page.length < PAGE) return;
    after = page.at(-1)?.approvalId;
    await to.connection.drained();
  }
}
