import type { ExecApprovalRequestPayload } from "../proposals/index.ts";

/** For sentences and choices. */
export const RISK_WORDS = { safe: "safe", "needs-review": "review", dangerous: "dangerous" } as const;

/** As it stands over a card. */
export function riskWord(level: ExecApprovalRequestPayload["riskLevel"]): string {
  return RISK_WORDS[level].toUpperCase();
}
