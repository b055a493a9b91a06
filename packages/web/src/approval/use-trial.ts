import { type ScopeTrial, scopeTrialSchema } from "@countersign/protocol/proposals";
import { useHub, useLookup } from "../hub/index.ts";

const PAUSE_MS = 250;

export type Trial = ScopeTrial | undefined;

/** What the hub says that this scope would come to; undefined until it has said so. */
export function useTrial(approvalId: string, scope: string | undefined): Trial {
  const hub = useHub();
  const { answer, problem, isLooking } = useLookup(
    scope === undefined ? undefined : `${approvalId} ${scope}`,
    (signal) =>
      hub.api(scopeTrialSchema, "POST /api/v1/approvals/:id/try-scope", {
        params: { id: approvalId },
        body: { scope },
        signal,
      }),
    { pauseMs: PAUSE_MS },
  );
  if (isLooking) return undefined;
  return problem === undefined ? answer : { kind: "refused", reason: problem };
}
