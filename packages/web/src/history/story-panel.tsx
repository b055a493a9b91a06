import { storyVerdict } from "@countersign/protocol/describe";
import type { Story } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { hrefOf } from "../navigation/index.ts";
import { useStory } from "../proposals/index.ts";
import { sessionName, shortPath } from "../text/index.ts";
import { CopyButton, Notice, VisibleText } from "../ui/index.ts";
import { StorySteps } from "./story-steps.tsx";
import { StoryTitle } from "./story-title.tsx";
import "./story.css";

/** Who allowed it, under which rule, what ran, where, how it ended; with the receipts that say so, and whether they are whole. */
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
      {story !== undefined && <Told story={story} />}
    </article>
  );
}

function Told({ story }: { story: Story }): VNode {
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
  same: "This is what was decided on: the receipts have its hash.",
  redacted: "A secret was taken out of it, so that it can’t be held against the hash in the receipts.",
  other: "This isn’t what was decided on: the receipts have another hash.",
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

/** Where to go from here. */
function Further({ proposal, texts }: { proposal: Proposal; texts: Story["texts"] }): VNode {
  const { key, command, session, cwd } = proposal;
  const hasOutput = texts?.stdout === "same" || texts?.stderr === "same";
  // What is typed by somebody else is only ever a value here, never an address.
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
