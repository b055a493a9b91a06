import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { sentencesOf } from "../proposals/index.ts";
import { VisibleText } from "../ui/index.ts";

/** Repeats the worst effect of a command next to the button that allows it, and whether a jail limits it. */
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
