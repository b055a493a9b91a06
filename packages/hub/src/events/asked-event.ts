import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";

/** `exec.approval_request`: seed 003's three fields, and what else a person needs to answer. */
export function askedEvent(card: ExecApprovalRequestPayload) {
  const { approvalId, command, cwd, agentId: sessionKey, riskLevel, riskReasons, expiresAtMs, diff, count } = card;
  const asked = { approvalId, command, workingDir: cwd ?? "", sessionKey, riskLevel, riskReasons, expiresAtMs };
  return { ...asked, ...(diff === undefined ? {} : { diff }), ...(count === undefined ? {} : { count }) };
}
