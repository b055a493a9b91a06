import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { Button, HoldButton } from "../ui/index.ts";
import { HighestRisk } from "./highest-risk.tsx";

/** The second step before a dangerous command is allowed: repeats the worst effect, and must be held for a second. */
export default function ConfirmStep({
  card,
  what,
  onConfirm,
  onCancel,
  locked,
}: {
  card: ExecApprovalRequestPayload;
  /** What will be allowed: `once`, `3 times`, … */
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
