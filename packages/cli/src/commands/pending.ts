import type { ExecApprovalRequestPayload } from "@countersign/sdk";
import { findHub } from "../connect/find-hub.ts";
import { readHubState } from "../connect/hub-state.ts";
import { listApprovals } from "../connect/list-approvals.ts";
import { EXIT } from "../exit-codes.ts";
import type { GlobalOptions } from "../settings.ts";
import { approvalLines } from "../show/approval.ts";
import { printJson, printLines } from "../show/print.ts";
import { shortId } from "../show/short-id.ts";

export async function pending(options: GlobalOptions & { readonly count?: boolean }): Promise<number> {
  const hub = await findHub(options);
  if (options.count) {
    // Not by listing: a status bar that counts has shown nobody anything, and a listing is a delivery.
    printJson((await readHubState(hub)).pending);
    return EXIT.ok;
  }
  const approvals = await listApprovals(hub);
  if (options.json) printJson(approvals);
  else printLines(pendingLines(approvals, Date.now()));
  return EXIT.ok;
}

export function pendingLines(approvals: readonly ExecApprovalRequestPayload[], nowMs: number): string[] {
  if (approvals.length === 0) return ["Nothing waits."];
  const ids = approvals.map(({ approvalId }) => approvalId);
  const cards = approvals.map((approval) =>
    approvalLines(approval, { shortId: shortId(approval.approvalId, ids), nowMs }),
  );
  return [`${approvals.length} waiting`, ...cards.flatMap((card) => ["", ...card])];
}
