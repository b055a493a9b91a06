import type { Decider, Story, StoryStep } from "@countersign/sdk";
import { DECIDER_WORDS, visible, visibleLines } from "@countersign/sdk";
import { quoted } from "../show/quoted.ts";

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
    ...details(step).map((line) => `  ${visible(line)}`),
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
        : `given to be started by ${visible(told(said.executor))}`;
    case "ended":
    case "preview-ended":
      return `${type === "ended" ? "ended" : "the trial ended"}: ${visible(endOf(said))}`;
    default:
      return visible(type);
  }
}

/** A person with the device and how sure that is, or what rule. */
function whoOf(said: StoryStep["said"], { devices }: Story): string {
  const person = word(said.person);
  const by = word(said.by);
  if (person === undefined) return by === undefined ? "nobody" : (DECIDER_WORDS[by as Decider] ?? visible(by));
  const device = word(said.device);
  const named = device === undefined ? undefined : quoted(devices[device] ?? device);
  const how = said.assurance === "device" ? `signed on the device ${named}` : "with a token, unsigned";
  return `${quoted(person)}, a person, ${how}`;
}

function endOf(said: StoryStep["said"]): string {
  const [kind, signal] = [word(said.kind) ?? "unknown", word(said.signal)];
  if (typeof said.exitCode === "number") return `${kind} with code ${said.exitCode}`;
  return signal === undefined ? kind : `${kind} by ${signal}`;
}

/** What else it says, the words that matter first; everything is in --json. */
function details({ type, said }: StoryStep): string[] {
  const lines = (pairs: readonly (readonly [string, unknown])[]) =>
    pairs.flatMap(([name, value]) => (isSaid(value) ? [`${name}: ${told(value)}`] : []));
  if (type === "decided" || type === "preview-decided") {
    return lines([
      ["why", said.reason],
      ["rule", said.entries],
      ["scope", said.scope],
      ["risk", said.riskLevel],
      ["effects", said.effects],
      ["jail", said.jail],
      ["network", said.network],
      ["lends", said.lends],
      ["enforcement", said.enforcement],
      ["agent", said.agent],
      ["policy version", said.policyVersion],
      ["what exactly", said.binding],
    ]);
  }
  if (type === "started") {
    return lines([
      ["permit", said.permit],
      ["what exactly", said.binding],
    ]);
  }
  if (type === "ended" || type === "preview-ended") {
    return lines([
      ["why", said.reason],
      ["stdout", said.stdoutHash],
      ["stderr", said.stderrHash],
      ["told by", said.reportedBy],
    ]);
  }
  return lines(Object.entries(said));
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function told(value: unknown): string {
  if (Array.isArray(value)) return value.map(told).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function faultsOf({ check }: StoryStep): string {
  const faults = [
    ...(check.signed ? [] : ["NOT AS IT WAS SIGNED"]),
    ...(check.linked ? [] : ["NOT LINKED to its neighbours"]),
    ...(check.inTree === "failed" ? ["NOT IN THE TREE that was signed"] : []),
  ];
  return faults.length === 0 ? "" : ` — ${faults.join(", ")}`;
}

function wholeLines({ whole, steps, checkpoint, texts }: Story): string[] {
  if (steps.length === 0) return ["Nothing is on record about it yet."];
  if (texts?.stdout === "other" || texts?.stderr === "other")
    return ["BROKEN: the output in the store isn't the one that the receipts have the hash of."];
  if (!whole) return ["BROKEN: this story can't be relied on. See: countersign receipts verify"];
  const later = steps.filter(({ check }) => check.inTree === "later").length;
  const tree =
    checkpoint === null
      ? "no checkpoint covers them yet"
      : later > 0
        ? `${later} came after the newest checkpoint (${checkpoint.size} receipts)`
        : `in the tree of the newest checkpoint (${checkpoint.size} receipts)`;
  return [
    `WHOLE: ${steps.length} receipt${steps.length === 1 ? "" : "s"}, each signed, linked to its neighbours, ${tree}.`,
    "Not proved: the rest of the ledger, and whose key signed it. See: countersign receipts verify",
  ];
}

function word(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function time(atMs: number): string {
  return new Date(atMs).toLocaleString("sv-SE");
}
