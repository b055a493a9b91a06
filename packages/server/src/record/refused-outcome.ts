import type { Decision } from "@countersign/policy";
import type { Outcome, OutcomeKind } from "@countersign/sdk";
import { filterSecrets } from "../secrets/filter-secrets.ts";

/** The outcome of a proposal that was decided against: never an exit code, because nothing ran. */
export function refusedOutcome({ by, reason }: Pick<Decision, "by" | "reason">, approvalId?: string): Outcome {
  const kind: OutcomeKind = by === "timeout" ? "expired" : by === "cancelled" ? "cancelled" : "denied";
  return { kind, by, reason: filterSecrets(reason), ...(approvalId === undefined ? {} : { approvalId }) };
}
