import { DECIDER_WORDS, storyDecider } from "@countersign/protocol/describe";
import { type ApprovalClosed, deciderSchema } from "@countersign/protocol/proposals";
import type { Story, StoryStep } from "@countersign/protocol/records";
import type { VNode } from "preact";
import type { Card, CardEnd, MyAnswer } from "../hub/index.ts";
import { useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { tellOutcome, useStory } from "../proposals/index.ts";
import { clockTime } from "../text/index.ts";
import { nowMs, VisibleText } from "../ui/index.ts";
import { LateAnswer, type Looked } from "./late-answer.tsx";
import type { Answering } from "./use-answer.ts";
import { type Followed, useOutcome } from "./use-outcome.ts";

/** What became of a card: who answered what and when, then what came of it. */
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

/** Nobody told this page how it ended: the record says it. */
function Gone({ card }: { card: Card["payload"] }): VNode {
  const story = useStory(card.approvalId).answer;
  const said = story?.steps.find(({ type }) => type === "decided")?.said;
  return (
    <>
      It was settled while there was no connection.{" "}
      {story !== undefined && said !== undefined && <VisibleText text={decisionWords(said, story)} />}
      {said?.verdict === "allow" && card.subject === "exec" && <Run card={card} />}
    </>
  );
}

function decisionWords(said: StoryStep["said"], story: Story): string {
  // A denial's reason is a sentence of its own: by whom, and why.
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
      const { word, tone } = tellOutcome(followed.outcome);
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
      {card.subject === "exec" && <LateAnswer card={card} until={until} answering={answering} {...looked} />}
    </div>
  );
}
