import { riskWord } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import type { CardEnd } from "../hub/index.ts";
import { useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { sentencesOf } from "../proposals/index.ts";
import { ago, clockTime, sessionName, shortPath } from "../text/index.ts";
import { ClippedLine, Countdown, lazy, nowMs, VisibleText } from "../ui/index.ts";
import { OutcomeLabel } from "./outcome-label.tsx";

const MissedOutcome = lazy(() => import("./missed-outcome.tsx"));

/** A pending card in the list. It is answered on its own page, never here. */
export function CardRow({
  id,
  isOpen,
  isExpired,
}: {
  id: string;
  isOpen: boolean;
  /** It can still be answered, so it has expired, although no event said so. */
  isExpired: boolean;
}): VNode | null {
  const { approvals } = useHub();
  const card = approvals.get(id)?.value;
  if (card === undefined) return null;
  const { payload, end } = card;
  const { riskLevel, command, count, agentName, agentId, cwd, subject } = payload;
  return (
    <a
      class={`inbox-row ${riskLevel} ${end === undefined ? "" : "over"}`}
      href={hrefOf("approval", [id])}
      aria-current={isOpen ? "true" : undefined}
      data-id={id}
    >
      <span class={`risk ${riskLevel}`}>{riskWord(riskLevel)}</span>
      <span class="when">
        {end === undefined ? (
          <Countdown untilMs={payload.expiresAtMs} />
        ) : (
          <EndWord id={id} end={end} isExpired={isExpired} />
        )}
      </span>
      <code class="what">
        <ClippedLine text={command} />
      </code>
      {count !== undefined && <span class="same">×{count} same question</span>}
      <span class="why">
        <ClippedLine text={sentencesOf(payload)[0]?.sentence ?? "Nothing that isn’t safe"} before=" /" />
      </span>
      <span class="who">
        {subject === "policy" ? (
          "A change of the policy"
        ) : (
          <ClippedLine text={cwd === undefined ? "" : shortPath(cwd)} before="/">
            <VisibleText text={agentName} /> · <VisibleText text={sessionName(agentId)} />
            {cwd !== undefined && " · "}
          </ClippedLine>
        )}
      </span>
    </a>
  );
}

function EndWord({ id, end, isExpired }: { id: string; end: CardEnd; isExpired: boolean }): VNode {
  const isMine = useHub().memory.mine.value.has(id);
  if (end.kind === "expired" || (end.kind === "gone" && isExpired)) return <>EXPIRED</>;
  if (end.kind === "gone") return <MissedOutcome id={id} />;
  const { decision, name } = end.closed;
  if (decision === undefined) return <>WITHDRAWN</>;
  return <OutcomeLabel word={decision === "deny" ? "DENIED" : "ALLOWED"} by={isMine ? "you" : name} />;
}

/** An expired card. Like the others it is answered on its own page. */
export function ExpiredRow({ payload, isOpen }: { payload: ExecApprovalRequestPayload; isOpen: boolean }): VNode {
  const until = useHub().memory.late.value.get(payload.approvalId);
  return (
    <div class="inbox-row expired" aria-current={isOpen ? "true" : undefined}>
      <span class="risk">EXPIRED {ago(payload.expiresAtMs, nowMs.value)}</span>
      <a class="what" href={hrefOf("approval", [payload.approvalId])}>
        <code>
          <ClippedLine text={payload.command} />
        </code>
      </a>
      <div class="late">
        {until === undefined ? (
          <a href={hrefOf("approval", [payload.approvalId])}>Look, and allow if it asks again</a>
        ) : (
          `Allowed if it asks again, until ${clockTime(until, nowMs.value)}.`
        )}
      </div>
    </div>
  );
}
