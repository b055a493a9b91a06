import { storyDecider, storyVerdict } from "@countersign/protocol/describe";
import type { Story, StoryStep } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import type { OutcomeKind } from "@countersign/vocabulary";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { hrefOf } from "../navigation/index.ts";
import { describeOutcome, unsafeWord, useStory } from "../proposals/index.ts";
import { clockTime, duration, sessionName, shortPath } from "../text/index.ts";
import { CopyButton, Notice, VisibleText } from "../ui/index.ts";
import { StorySteps } from "./story-steps.tsx";
import "./story.css";

/**
 * The story of a proposal: who allowed it under which rule, what ran where, how it ended. Shows the receipts that prove it, and whether they
 * verify.
 */
export function StoryPanel({ id, back }: { id: string; back: string }): VNode {
  const { answer: story, problem } = useStory(id);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <article class="story" ref={panel} tabIndex={-1} aria-label="Story">
      <a id="story-back" class="story-back" href={back}>
        ‹ History
      </a>
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {story !== undefined && <StoryContent story={story} />}
    </article>
  );
}

function StoryContent({ story }: { story: Story }): VNode {
  const { proposal } = story;
  return (
    <>
      <StoryTitle story={story} />
      {proposal !== null && <Command story={story} proposal={proposal} />}
      <StorySteps story={story} />
      <Verdict story={story} />
      {proposal !== null && <Further proposal={proposal} texts={story.texts} />}
    </>
  );
}

type Proposal = NonNullable<Story["proposal"]>;

const TEXTS = {
  same: "This is the command that was decided on: the receipts have its hash.",
  redacted: "A secret was removed from it, so it can’t be compared with the hash in the receipts.",
  other: "This isn’t the command that was decided on: the receipts have another hash.",
} as const;

function Command({ story: { texts }, proposal }: { story: Story; proposal: Proposal }): VNode {
  const { command, cwd, session } = proposal;
  return (
    <section class="story-command" aria-label="Command">
      <pre>
        <VisibleText text={command} lines />
      </pre>
      <CopyButton text={command} />
      <p class="story-where">
        in{" "}
        <span class="mono" title={visible(cwd)}>
          <VisibleText text={shortPath(cwd)} />
        </span>{" "}
        · session <VisibleText text={sessionName(session)} />
      </p>
      {texts !== null && (
        <p class={`story-check small ${texts.command === "other" ? "is-broken" : "quiet"}`}>{TEXTS[texts.command]}</p>
      )}
    </section>
  );
}

function Verdict({ story }: { story: Story }): VNode {
  const verdict = storyVerdict(story);
  if (verdict.kind === "nothing") return <p class="quiet">Nothing is on record about it yet.</p>;
  if (verdict.kind === "broken") return <Notice kind="problem">Broken: {verdict.words}.</Notice>;
  return (
    <p class="story-whole">
      <strong>Whole</strong>: {verdict.words}.{" "}
      <span class="quiet">About the rest of the record this says nothing.</span>
    </p>
  );
}

/** Links to related views. */
function Further({ proposal, texts }: { proposal: Proposal; texts: Story["texts"] }): VNode {
  const { key, command, session, cwd } = proposal;
  const hasOutput = texts?.stdout === "same" || texts?.stderr === "same";
  // Foreign text is only ever a parameter value, never an address.
  const same = `"${command.split("\n")[0]?.replaceAll('"', " ").slice(0, 200).trim()}"`;
  return (
    <nav class="story-further" aria-label="From here">
      {hasOutput && <a href={hrefOf("runs", [key])}>Output</a>}
      <a href={hrefOf("history", [], { text: same })}>The same command</a>
      <a href={hrefOf("history", [], { session })}>This session</a>
      <a href={hrefOf("history", [], { directory: cwd })}>This directory</a>
    </nav>
  );
}

/** The summary: who allowed it, how it ended, when, and how long it took. */
function StoryTitle({ story }: { story: Story }): VNode {
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
    return describeOutcome({
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
