import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { sentencesOf } from "../proposals/index.ts";
import { VisibleText } from "../ui/index.ts";

/** The worst that it would do, said once more where it is allowed, and what holds it while it does. */
export function HighestRisk({ card }: { card: ExecApprovalRequestPayload }): VNode {
  const worst = sentencesOf(card)[0]?.sentence ?? UNSAID[card.riskLevel];
  const who =
    card.subject === "policy" ? "" : card.enforcement === "jail" ? ", in its jail" : ", as you, without a jail";
  return (
    <p class={`worst ${card.riskLevel}`}>
      <strong>
        <VisibleText text={worst} />
      </strong>
      {who}.
    </p>
  );
}

const UNSAID = {
  dangerous: "It is dangerous",
  "needs-review": "Nothing that could be told apart",
  safe: "Nothing that isn’t safe",
} as const;
