import { type ExecApprovalRequestPayload, execApprovalRequestSchema } from "@countersign/protocol/proposals";
import { callHttp, type HttpHub } from "../connect/index.ts";

/** An approval with nothing hidden. The hub records that we looked. */
export async function revealApproval(hub: HttpHub, approvalId: string): Promise<ExecApprovalRequestPayload> {
  const path = `/api/v1/approvals/${encodeURIComponent(approvalId)}/reveal`;
  return (await callHttp(hub, { method: "POST", path, body: {} }, execApprovalRequestSchema)).value;
}
