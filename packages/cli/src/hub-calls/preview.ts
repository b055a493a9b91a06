import { type Preview, type PreviewWish, previewSchema } from "@countersign/protocol/proposals";
import { callHttp, type HttpHub } from "../connect/index.ts";

/** Has the hub try out what waits, where nothing is kept. It takes as long as the command. */
export async function previewApproval(hub: HttpHub, approvalId: string, body: PreviewWish): Promise<Preview> {
  const path = `/api/v1/approvals/${encodeURIComponent(approvalId)}/preview`;
  return (await callHttp(hub, { method: "POST", path, body, timeoutMs: 0 }, previewSchema)).value;
}
