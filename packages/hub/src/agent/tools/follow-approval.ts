import type { ApprovalClosed, ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { Hub } from "../../hub/index.ts";

/** What became of one approval, as far as it was event. */
export interface Followed {
  /** Set once it was answered, had expired or was withdrawn. */
  closed?: ApprovalClosed;
  stop(): void;
}

/** Listens for an approval by its id, from before it is opened: the hub says nothing twice. */
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
          // The question stands all the same: whoever else may answer has it.
          log.error({ approvalId, err: cause }, "a tool's listener failed when a person was asked");
        }
      }
    }),
  };
  return followed;
}
