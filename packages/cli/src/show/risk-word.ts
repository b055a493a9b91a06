import type { ExecApprovalRequestPayload } from "@countersign/sdk";

const WORDS = { safe: "SAFE", "needs-review": "REVIEW", dangerous: "DANGEROUS" } as const;

export function riskWord(level: ExecApprovalRequestPayload["riskLevel"]): string {
  return WORDS[level];
}
