import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import { useHub } from "../hub/index.ts";
import { clockTime } from "../text/index.ts";
import { Button, HoldButton, nowMs, VisibleText } from "../ui/index.ts";
import type { Answering } from "./use-answer.ts";
import { whyLocked } from "./why-locked.ts";
import { WorstLine } from "./worst-line.tsx";

/** What the card around it knows of whoever looks at it. */
export interface Looked {
  readonly isEndSeen: boolean;
  isArmed(): boolean;
}

interface Props extends Looked {
  card: ExecApprovalRequestPayload;
  until: number | undefined;
  answering: Answering;
}

/** For a card that has expired: allows the same once, when the same session asks again. It takes what allowing it in time would have taken. */
export function LateAnswer({ card, until, answering, isEndSeen, isArmed }: Props): VNode {
  const hub = useHub();
  if (until !== undefined) return <p>Allowed if it asks again, until {clockTime(until, nowMs.value)}.</p>;
  const [isLive, isPaused] = [hub.state.value === "live", hub.info.value?.paused ?? false];
  const locked = whyLocked({ card, isLive, isPaused, isSending: answering.isSending, isEndSeen });
  const allow = () => {
    if (isArmed() && locked === undefined) void answering.sendLate();
  };
  return (
    <>
      <WorstLine card={card} />
      {card.riskLevel === "dangerous" ? (
        <HoldButton onHeld={allow} disabled={locked !== undefined}>
          Hold to allow if it asks again (30 min)
        </HoldButton>
      ) : (
        <Button aria-disabled={locked !== undefined} onClick={allow}>
          Allow if it asks again (30 min)
        </Button>
      )}
      {locked && <p class="locked">{locked}</p>}
      {answering.problem && (
        <p class="locked" role="alert">
          <VisibleText text={answering.problem} />
        </p>
      )}
    </>
  );
}
