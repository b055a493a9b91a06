import { storyDecider, storyEnd, storyFacts, storyFaults, storyVerdict } from "@countersign/protocol/describe";
import type { Story, StoryStep } from "@countersign/protocol/records";
import { visible, visibleLines } from "@countersign/protocol/text";
import { quoted } from "../terminal/index.ts";

/** In the order in which it happened. */
export function storyLines(story: Story): string[] {
  const { steps } = story;
  return [...proposalLines(story), ...steps.flatMap((step) => stepLines(step, story)), ...wholeLines(story)];
}

function proposalLines({ proposal, approval, texts }: Story): string[] {
  if (proposal === null) return approval === null ? [] : [`Approval ${visible(approval.id)}: ${approval.state}`];
  const { key, proposalId, session, command, cwd, createdAtMs } = proposal;
  return [
    `${time(createdAtMs)} proposed in session ${quoted(session)}, as ${quoted(proposalId)} (${key}):`,
    ...visibleLines(command).map((line) => `  $ ${line}`),
    `  in ${visible(cwd)}`,
    ...(texts === null ? [] : [`  ${TEXTS[texts.command]}`]),
    ...approvalLines(approval),
  ];
}

const TEXTS = {
  same: "which is what was decided on: the receipts have its hash",
  redacted: "redacted, so that it can't be held against the hash in the receipts",
  other: "NOT WHAT WAS DECIDED ON: the receipts have another hash",
} as const;

function approvalLines(approval: Story["approval"]): string[] {
  if (approval === null) return [];
  const { id, deliveredAtMs, state } = approval;
  const asked =
    deliveredAtMs === null ? "asked a person, and nobody saw it" : `${time(deliveredAtMs)} shown to a person`;
  return [`${asked} (approval ${visible(id)}, ${state})`];
}

function stepLines(step: StoryStep, story: Story): string[] {
  return [
    `${time(Date.parse(step.at))} ${headline(step, story)}`,
    ...storyFacts(step).map(([name, value]) => `  ${visible(`${name}: ${value}`)}`),
    `  receipt ${step.seq} ${step.hash}${faultsOf(step)}`,
  ];
}

function headline({ type, said }: StoryStep, story: Story): string {
  switch (type) {
    case "decided":
      return `${said.verdict === "allow" ? "ALLOWED" : said.verdict === "deny" ? "DENIED" : "decided"} by ${whoOf(said, story)}`;
    case "preview-decided":
      return `tried out for ${whoOf(said, story)}`;
    case "started":
      return said.executor === "local"
        ? "started by the hub"
        : `given to be started by ${visible(String(said.executor))}`;
    case "ended":
    case "preview-ended":
      return `${type === "ended" ? "ended" : "the trial ended"}: ${visible(storyEnd(said))}`;
    default:
      return visible(type);
  }
}

/** A person with the device and how sure that is, or what rule. */
function whoOf(said: StoryStep["said"], story: Story): string {
  const decider = storyDecider(said, story);
  if (decider.kind === "rule") return visible(decider.words);
  const { person, signedOn } = decider;
  const how = signedOn === undefined ? "with a token, unsigned" : `signed on the device ${quoted(signedOn)}`;
  return `${quoted(person)}, a person, ${how}`;
}

function faultsOf(step: StoryStep): string {
  const faults = storyFaults(step);
  return faults.length === 0 ? "" : ` — ${faults.map((fault) => fault.toUpperCase()).join(", ")}`;
}

function wholeLines(story: Story): string[] {
  const verdict = storyVerdict(story);
  switch (verdict.kind) {
    case "nothing":
      return ["Nothing is on record about it yet."];
    case "broken":
      return [`BROKEN: ${verdict.words}. See: countersign receipts verify`];
    case "whole":
      return [
        `WHOLE: ${verdict.words}.`,
        "Not proved: the rest of the ledger, and whose key signed it. See: countersign receipts verify",
      ];
  }
}

function time(atMs: number): string {
  return new Date(atMs).toLocaleString("sv-SE");
}
