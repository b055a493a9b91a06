import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { Button, HoldButton } from "../ui/index.ts";
import { HighestRisk } from "./highest-risk.tsx";

/** The second step before something dangerous: says the worst of it once more, and takes a second of holding. */
export default function ConfirmStep({
  card,
  what,
  onConfirm,
  onCancel,
  locked,
}: {
  card: ExecApprovalRequestPayload;
  /** What is about to be allowed: `once`, `3 times`, … */
  what: string;
  onConfirm(): void;
  onCancel(): void;
  locked: string | undefined;
}): VNode {
  return (
    <fieldset class="confirm" aria-label="Allow something dangerous">
      <HighestRisk card={card} />
      <div class="bar-row">
        <Button onClick={onCancel}>Back</Button>
        <HoldButton onHeld={onConfirm} disabled={locked !== undefined} isNext>
          Hold to allow {what}
        </HoldButton>
      </div>
      {locked && <p class="locked">{locked}</p>}
    </fieldset>
  );
}
