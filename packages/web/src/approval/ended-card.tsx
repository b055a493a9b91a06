import { DECIDER_WORDS, storyDecider } from "@countersign/protocol/describe";
import {
  type ApprovalClosed,
  deciderSchema,
  type ExecApprovalRequestPayload,
  ExecOutputEndedAction,
  execOutputEndedSchema,
  type OutcomeWithoutOutput,
} from "@countersign/protocol/proposals";
import type { Story, StoryStep } from "@countersign/protocol/records";
import { GatewayError } from "@countersign/sdk";
import { effect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Card, type CardEnd, type MyAnswer, useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { describeOutcome, useStory } from "../proposals/index.ts";
import { clockTime } from "../text/index.ts";
import { Button, HoldButton, nowMs, VisibleText } from "../ui/index.ts";
import { HighestRisk } from "./highest-risk.tsx";
import type { Answering } from "./use-answer.ts";
import { whyLocked } from "./why-locked.ts";

/** How a card ended: who answered, when, and the outcome of the command. */
export default function EndedCard({
  card,
  end,
  answering,
  looked,
}: {
  card: Card["payload"];
  end: CardEnd;
  answering: Answering;
  looked: Looked;
}): VNode {
  const mine = useHub().memory.mine.value.get(card.approvalId);
  if (end.kind === "expired") return <Expired {...{ card, answering, end, looked }} />;
  const closed = end.kind === "gone" ? undefined : end.closed;
  const isAllowed = closed?.decision === "allow-once" || closed?.decision === "allow-always";
  return (
    <div class="ended" role="status">
      <p>
        {closed === undefined ? <Gone card={card} /> : <Closed closed={closed} mine={mine} />}
        {end.kind === "resolved" && `, ${clockTime(end.atMs, nowMs.value)}`}
        {isAllowed && card.subject === "exec" && <Run card={card} />}
      </p>
      {closed?.reason !== undefined && (
        <p>
          <q>
            <VisibleText text={closed.reason} />
          </q>
        </p>
      )}
      {mine?.result.saved?.map((saved) => (
        <p key={saved}>
          Saved:{" "}
          <code>
            <VisibleText text={saved} />
          </code>
        </p>
      ))}
      {mine?.result.note !== undefined && (
        <p>
          <VisibleText text={mine.result.note} />
        </p>
      )}
      <p>
        <a href={hrefOf("story", [card.approvalId])}>Its story and receipts</a>
      </p>
    </div>
  );
}

const VERBS = { "allow-once": "Allowed once", "allow-always": "Allowed", deny: "Denied" } as const;

function Closed({ closed, mine }: { closed: ApprovalClosed; mine: MyAnswer | undefined }): VNode {
  const { decision, name, device, by } = closed;
  if (decision === undefined) {
    const decider = deciderSchema.safeParse(by).data;
    return <>Ended by {decider === undefined ? "the hub" : DECIDER_WORDS[decider]}</>;
  }
  const { count } = mine?.result ?? {};
  const verb = decision === "allow-once" && count !== undefined ? `Allowed ${count} times` : VERBS[decision];
  if (mine) return <>{`${mine.answer.command === undefined ? verb : "Changed and allowed once"} by you`}</>;
  return (
    <>
      {verb} by <VisibleText text={name ?? "somebody else"} />
      {device !== undefined && device !== name && (
        <>
          {" "}
          on <VisibleText text={device} />
        </>
      )}
    </>
  );
}

/** The card was settled while the page was offline, so its end is read from the record. */
function Gone({ card }: { card: Card["payload"] }): VNode {
  const story = useStory(card.approvalId).answer;
  const said = story?.steps.find(({ type }) => type === "decided")?.said;
  return (
    <>
      It was settled while the page was offline.{" "}
      {story !== undefined && said !== undefined && <VisibleText text={decisionWords(said, story)} />}
      {said?.verdict === "allow" && card.subject === "exec" && <Run card={card} />}
    </>
  );
}

function decisionWords(said: StoryStep["said"], story: Story): string {
  // The reason of a denial is a whole sentence that names who denied it, and why.
  if (said.verdict !== "allow" && typeof said.reason === "string") return said.reason;
  const decider = storyDecider(said, story);
  const by = decider.kind === "person" ? decider.person : decider.words;
  return `${said.verdict === "allow" ? "Allowed" : "Denied"} by ${by}`;
}

function Run({ card }: { card: Card["payload"] }): VNode {
  const followed = useOutcome(card.approvalId);
  return (
    <>
      {" · "}
      <RunWords
        approvalId={card.approvalId}
        followed={followed}
        agentName={card.runBy === "agent" ? card.agentName : undefined}
      />
    </>
  );
}

function RunWords({
  approvalId,
  followed,
  agentName,
}: {
  approvalId: string;
  followed: Followed;
  agentName: string | undefined;
}): VNode {
  switch (followed.kind) {
    case "running":
      return agentName === undefined ? <a href={hrefOf("runs", [approvalId])}>running…</a> : <>running…</>;
    case "elsewhere":
      return agentName === undefined ? (
        <>it has ended</>
      ) : (
        <>
          <VisibleText text={agentName} /> runs it
        </>
      );
    case "ended": {
      const { word, tone } = describeOutcome(followed.outcome);
      return <strong class={tone === "well" ? "well" : "unwell"}>{word}</strong>;
    }
  }
}

function Expired({
  card,
  answering,
  end,
  looked,
}: {
  card: Card["payload"];
  answering: Answering;
  end: CardEnd;
  looked: Looked;
}): VNode {
  const until = useHub().memory.late.value.get(card.approvalId);
  return (
    <div class="ended" role="status">
      <p>Expired {clockTime(end.atMs, nowMs.value)}: nobody answered in time, and it did not run.</p>
      {card.subject === "exec" && <ExpiredApprovalGrant card={card} until={until} answering={answering} {...looked} />}
    </div>
  );
}

/** `elsewhere`: the hub doesn't run it, or its outcome isn't known here. */
type Followed = { kind: "running" } | { kind: "ended"; outcome: OutcomeWithoutOutput } | { kind: "elsewhere" };

/** Follows an allowed command to its outcome, across reconnections. */
function useOutcome(approvalId: string | undefined): Followed {
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
      // If this fails the connection is gone, and the subscription with it.
      hub.request("unfollowOutput", { proposalId: approvalId }).catch(() => undefined);
    };
  }, [approvalId]);
  return followed;
}

/** What the surrounding card knows about the person's attention. */
interface Looked {
  readonly isEndSeen: boolean;
  isArmed(): boolean;
}

interface Props extends Looked {
  card: ExecApprovalRequestPayload;
  until: number | undefined;
  answering: Answering;
}

/** Allows an expired command once if the same session retries it. Asks for the same confirmation as an answer in time. */
function ExpiredApprovalGrant({ card, until, answering, isEndSeen, isArmed }: Props): VNode {
  const hub = useHub();
  if (until !== undefined) return <p>Allowed if it asks again, until {clockTime(until, nowMs.value)}.</p>;
  const [isLive, isPaused] = [hub.state.value === "live", hub.info.value?.paused ?? false];
  const locked = whyLocked({ card, isLive, isPaused, isSending: answering.isSending, isEndSeen });
  const allow = () => {
    if (isArmed() && locked === undefined) void answering.sendLate();
  };
  return (
    <>
      <HighestRisk card={card} />
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
