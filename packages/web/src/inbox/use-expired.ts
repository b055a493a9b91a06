import { ExecApprovalExpiredAction, type ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { useHub, useLookup } from "../hub/index.ts";

const NEWS: ReadonlySet<string> = new Set([ExecApprovalExpiredAction]);
const NONE: readonly ExecApprovalRequestPayload[] = [];

/** What nobody answered in time and can be allowed for when it asks again, newest first. */
export function useExpired(): readonly ExecApprovalRequestPayload[] {
  const hub = useHub();
  const { answer } = useLookup("expired", () => hub.request("listExpiredApprovals", {}), { news: NEWS });
  return answer?.approvals ?? NONE;
}
