import { storyDecider, storyEnd, storyFacts, storyFaults } from "@countersign/protocol/describe";
import type { Story, StoryStep } from "@countersign/protocol/records";
import type { VNode } from "preact";
import { hrefOf } from "../navigation/index.ts";
import { VisibleText } from "../ui/index.ts";

/** The main fact of a step; the others are folded. */
const SHOWN_FIRST = new Set(["why", "rule", "scope", "jail", "network", "effects"]);

/** The steps in order, each with its receipt. */
export function StorySteps({ story }: { story: Story }): VNode {
  const { proposal, approval, steps } = story;
  const agent = String(steps.find(({ said }) => typeof said.agent === "string")?.said.agent ?? "an agent");
  return (
    <ol class="story-steps" aria-label="What happened">
      {proposal && (
        <li>
          <Moment atMs={proposal.createdAtMs} />
          <p>
            Proposed by <VisibleText text={agent} />
          </p>
        </li>
      )}
      {approval && approval.deliveredAtMs !== null && (
        <li>
          <Moment atMs={approval.deliveredAtMs} />
          <p>Shown to a person</p>
        </li>
      )}
      {approval && approval.deliveredAtMs === null && approval.state !== "pending" && (
        <li>
          <span />
          <p>Asked a person, and nobody saw it</p>
        </li>
      )}
      {steps.map((step) => (
        <Step key={step.seq} step={step} story={story} />
      ))}
    </ol>
  );
}

function Step({ step, story }: { step: StoryStep; story: Story }): VNode {
  const facts = storyFacts(step);
  const first = facts.filter(([name]) => SHOWN_FIRST.has(name));
  const rest = facts.filter(([name]) => !SHOWN_FIRST.has(name));
  const faults = storyFaults(step);
  return (
    <li>
      <Moment atMs={Date.parse(step.at)} />
      <div>
        <p>
          <Headline step={step} story={story} />
        </p>
        <Facts facts={first} />
        <p class={`story-receipt small ${faults.length === 0 ? "" : "is-broken"}`}>
          {faults.length === 0 ? "✓ " : "✗ "}
          <a href={hrefOf("receipts", ["chain", step.chainId], { after: `${step.sequence - 1}` })}>
            receipt {step.seq}
          </a>{" "}
          {faults.length === 0 ? CHECKED[step.check.inTree] : faults.join(", ")}
        </p>
        <details class="small">
          <summary>Details</summary>
          <Facts facts={[...rest, ["receipt", step.hash], ["chain", `${step.chainId} · ${step.sequence}`]]} />
        </details>
      </div>
    </li>
  );
}

const CHECKED = {
  proved: "signed, linked, in the tree",
  later: "signed, linked, in no checkpoint yet",
  failed: "",
} as const;

function Headline({ step: { type, said }, story }: { step: StoryStep; story: Story }): VNode {
  switch (type) {
    case "decided":
      return (
        <>
          <strong>{said.verdict === "allow" ? "Allowed" : "Denied"}</strong> by <Who said={said} story={story} />
        </>
      );
    case "preview-decided":
      return (
        <>
          Tried out for <Who said={said} story={story} />
        </>
      );
    case "started":
      return said.executor === "local" ? <>Started by the hub</> : <>Given to its agent, which runs it itself</>;
    case "ended":
      return (
        <>
          <strong>Ended</strong>: <VisibleText text={storyEnd(said)} />
        </>
      );
    case "preview-ended":
      return (
        <>
          The trial ended: <VisibleText text={storyEnd(said)} />
        </>
      );
    default:
      return <VisibleText text={type} />;
  }
}

function Who({ said, story }: { said: StoryStep["said"]; story: Story }): VNode {
  const decider = storyDecider(said, story);
  if (decider.kind === "rule") return <VisibleText text={decider.words} />;
  return (
    <>
      <VisibleText text={decider.person} />
      {decider.signedOn === undefined ? (
        ", with a token, unsigned"
      ) : (
        <>
          , signed on <VisibleText text={decider.signedOn} />
        </>
      )}
    </>
  );
}

function Facts({ facts }: { facts: readonly (readonly [string, string])[] }): VNode | null {
  if (facts.length === 0) return null;
  return (
    <dl class="story-facts small">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <VisibleText text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Moment({ atMs }: { atMs: number }): VNode {
  const at = new Date(atMs);
  return (
    <time class="story-moment" dateTime={at.toISOString()} title={at.toLocaleString("en-GB")}>
      {at.toLocaleTimeString("en-GB")}
    </time>
  );
}
