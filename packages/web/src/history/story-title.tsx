import { storyDecider } from "@countersign/protocol/describe";
import type { Story, StoryStep } from "@countersign/protocol/records";
import type { OutcomeKind } from "@countersign/vocabulary";
import type { VNode } from "preact";
import { tellOutcome, unsafeWord } from "../proposals/index.ts";
import { clockTime, duration } from "../text/index.ts";
import { VisibleText } from "../ui/index.ts";

/** One line that answers the question: who let it, how it ended, when, and how long it took. */
export function StoryTitle({ story }: { story: Story }): VNode {
  const decided = story.steps.find(({ type }) => type === "decided");
  const started = story.steps.find(({ type }) => type === "started");
  const ended = story.steps.findLast(({ type }) => type === "ended");
  const { word, tone } = endedWord(ended, story);
  const atMs = Date.parse(ended?.at ?? decided?.at ?? "") || story.proposal?.createdAtMs || 0;
  const risk = decided?.said.riskLevel;
  return (
    <header class="story-title">
      <h1 class={tone}>{word}</h1>
      <p class="quiet">
        {decided && (
          <>
            <DecidedBy step={decided} story={story} /> ·{" "}
          </>
        )}
        <time dateTime={new Date(atMs).toISOString()}>{clockTime(atMs, Date.now())}</time>
        {started && ended && <> · took {duration(Date.parse(ended.at) - Date.parse(started.at))}</>}
        {unsafeWord(risk) !== undefined && <span class={`story-risk ${risk}`}>{unsafeWord(risk)}</span>}
      </p>
    </header>
  );
}

function endedWord(ended: StoryStep | undefined, { proposal, approval }: Story) {
  if (ended) {
    const { kind, exitCode, signal } = ended.said;
    return tellOutcome({
      kind: kind as OutcomeKind,
      ...(typeof exitCode === "number" ? { exitCode } : {}),
      ...(typeof signal === "string" ? { signal } : {}),
    });
  }
  const word =
    proposal?.state === "started" ? "runs" : proposal?.state === "pending" ? "waits" : (approval?.state ?? "on record");
  return { word, tone: "unknown" } as const;
}

function DecidedBy({ step: { said }, story }: { step: StoryStep; story: Story }): VNode {
  const verb = said.verdict === "allow" ? "allowed by " : "denied by ";
  const decider = storyDecider(said, story);
  if (decider.kind === "rule") {
    return (
      <>
        {verb}
        <VisibleText text={decider.words} />
      </>
    );
  }
  return (
    <>
      {verb}
      <VisibleText text={decider.person} />
      {decider.signedOn === undefined ? ", unsigned" : ", signed on "}
      {decider.signedOn !== undefined && <VisibleText text={decider.signedOn} />}
    </>
  );
}
