import type { ApprovalClosed, ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { Hub } from "../../hub/index.ts";

/** The state of one approval, as far as the hub has announced it. */
export interface Followed {
  /** Set once the approval was answered, has expired or was withdrawn. */
  closed?: ApprovalClosed;
  stop(): void;
}

/** Listens for an approval by its id. Call it before the approval is opened, because the hub announces it once. */
export function followApproval(
  { news, log }: Hub,
  approvalId: string,
  onAsked?: (card: ExecApprovalRequestPayload) => void,
): Followed {
  const followed: Followed = {
    stop: news.listen((event) => {
      if (event.kind === "counted") return;
      if (event.kind !== "asked") {
        if (event.closed.approvalId === approvalId) followed.closed = event.closed;
      } else if (event.card.approvalId === approvalId) {
        try {
          onAsked?.(event.card);
        } catch (cause) {
          // The question stays open: others who may answer have it.
          log.error({ approvalId, err: cause }, "a tool's listener failed when a person was asked");
        }
      }
    }),
  };
  return followed;
}
