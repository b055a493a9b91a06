import {
  ExecOutputEndedAction,
  execOutputEndedSchema,
  type OutcomeWithoutOutput,
} from "@countersign/protocol/proposals";
import { GatewayError } from "@countersign/sdk";
import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";

/** `elsewhere`: it isn't run here, or how it ended isn't known here. */
export type Followed = { kind: "running" } | { kind: "ended"; outcome: OutcomeWithoutOutput } | { kind: "elsewhere" };

/** What becomes of what was allowed, until its end; asked again when the connection was away. */
export function useOutcome(approvalId: string | undefined): Followed {
  const hub = useHub();
  const [followed, setFollowed] = useState<Followed>({ kind: "running" });
  useEffect(() => {
    if (approvalId === undefined) return;
    let isOver = false;
    const finish = (found: Followed) => {
      isOver = true;
      setFollowed(found);
    };
    const stopHearing = hub.onMessage(({ action, payload }) => {
      const ended = action === ExecOutputEndedAction ? execOutputEndedSchema.safeParse(payload).data : undefined;
      if (ended?.proposalId !== approvalId) return;
      finish(ended.outcome ? { kind: "ended", outcome: ended.outcome } : { kind: "elsewhere" });
    });
    const stopAsking = effect(() => {
      if (hub.state.value !== "live" || isOver) return;
      hub.request("followOutput", { proposalId: approvalId }).catch((cause: unknown) => {
        if (!(cause instanceof GatewayError)) throw cause;
        if (cause.code !== "DISCONNECTED" && !isOver) finish({ kind: "elsewhere" });
      });
    });
    return () => {
      stopHearing();
      stopAsking();
      if (isOver || hub.state.value !== "live") return;
      // Should it fail, the connection is gone and the following with it.
      hub.request("unfollowOutput", { proposalId: approvalId }).catch(() => undefined);
    };
  }, [approvalId]);
  return followed;
}
