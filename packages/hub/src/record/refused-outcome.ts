import { filterSecrets } from "@countersign/core/redaction";
import type { Decision } from "@countersign/policy";
import type { Outcome } from "@countersign/protocol/proposals";
import type { RefusedOutcome } from "@countersign/vocabulary";
import type { Assessment } from "../proposals/index.ts";

/** The outcome of a proposal that was decided against: never an exit code, because nothing ran. */
export function refusedOutcome(
  { by, reason }: Pick<Decision, "by" | "reason">,
  approvalId?: string,
  edited?: Assessment["edited"],
): Outcome {
  return {
    kind: refusalKind(by),
    by,
    reason: filterSecrets(reason),
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(edited === undefined ? {} : { edited: { by: edited.by, command: edited.command } }),
  };
}

/** Silence isn't a denial, and neither is thinking better of it. */
export function refusalKind(by: string): RefusedOutcome {
  return by === "timeout" ? "expired" : by === "cancelled" ? "cancelled" : "denied";
}
