import type { Decider, OutcomeKind } from "@countersign/vocabulary";
import type { FileChange, Outcome } from "../proposals/index.ts";
import { visible, visibleLines } from "../text/index.ts";
import { DECIDER_WORDS } from "./card.ts";

/** Kinds of outcomes that had a process. */
export const STARTED_OUTCOMES: ReadonlySet<OutcomeKind> = new Set([
  "exited",
  "signalled",
  "timed-out",
  "aborted",
  "interrupted",
]);

const WORDS: Readonly<Record<OutcomeKind, string>> = {
  exited: "ended",
  signalled: "ended by a signal",
  "timed-out": "timed out",
  aborted: "stopped",
  denied: "denied",
  expired: "expired",
  cancelled: "withdrawn",
  "jail-refused": "no jail could be built",
  "not-started": "not started",
  interrupted: "interrupted",
};

/** How it ended, in a word or three: `exit code 0`. */
export function outcomeWord({ kind, exitCode, signal }: Pick<Outcome, "kind" | "exitCode" | "signal">): string {
  if (kind === "exited") return `exit code ${exitCode ?? "?"}`;
  return kind === "signalled" && signal !== undefined ? `ended by ${visible(signal)}` : WORDS[kind];
}

/** Of a trial: how it ended, as a sentence. */
export function trialSentence({ kind, exitCode, signal }: Pick<Outcome, "kind" | "exitCode" | "signal">): string {
  switch (kind) {
    case "exited":
      return `It ended with exit code ${exitCode ?? "?"}.`;
    case "signalled":
      return `It was ended by ${visible(signal ?? "a signal")}.`;
    case "timed-out":
      return "It ran out of time and was ended.";
    case "aborted":
    case "interrupted":
      return "It was stopped while it ran.";
    default:
      return "It was not run.";
  }
}

/** Of a trial: why a file's contents aren't compared. */
export const UNDIFFED_WORDS: Readonly<Record<NonNullable<FileChange["undiffed"]>, string>> = {
  binary: "not text",
  "too-large": "too large to compare",
  unreadable: "can’t be read",
  limit: "not compared: so many others were",
};

/**
 * What an agent is told about its proposal, whichever door it came through: exact, because agents act on words. Undefined
 * where the command's own end says it all.
 */
export function wordsForAgent(outcome: Outcome, waitedMs: number): string | undefined {
  const { kind, by, reason } = outcome;
  // A rule speaks for itself: whoever wrote the entry wrote what the agent should read.
  if (kind === "denied" && by === "deny-entry" && reason) return visible(reason);
  return outcomeSentence(outcome, waitedMs);
}

/** The same for people, and for whoever calls `exec`: there what denied it is named, also where that is a rule. */
export function outcomeSentence(outcome: Outcome, waitedMs: number): string | undefined {
  const { kind, edited } = outcome;
  if (edited === undefined || NEVER_RAN.has(kind)) return howItEnded(outcome, waitedMs);
  if (kind === "denied") return `Propose exactly ${quoted(edited.command)}; it is permitted once for 10 min.`;
  const changed = `${visible(edited.by)} changed it to ${quoted(edited.command)}; that is what ran.`;
  return [changed, howItEnded(outcome, waitedMs) ?? []].flat().join(" ");
}

const NEVER_RAN = new Set<Outcome["kind"]>(["cancelled", "expired", "jail-refused", "not-started"]);
const NO_WAY_ROUND = "Do not reach the same effect another way; propose something else or ask.";

function howItEnded(outcome: Outcome, waitedMs: number): string | undefined {
  const reason = outcome.reason === undefined ? undefined : visible(outcome.reason).replace(/\.$/, "");
  switch (outcome.kind) {
    case "exited":
      // What the jail saw: something refused, or taken away.
      return reason === undefined ? undefined : `${reason}.`;
    case "denied":
      return `${denial(outcome.by, reason)}. ${outcome.by === "person" ? NO_WAY_ROUND : "It did not run."}`;
    case "expired":
      return `Nobody answered in ${Math.max(1, Math.round(waitedMs / 60_000))} min. This isn't a refusal; continue with other work.`;
    case "cancelled":
      return `Withdrawn before it ran${because(reason)}.`;
    case "signalled":
      return `The command was ended by ${visible(outcome.signal ?? "a signal")}.`;
    case "timed-out":
      return "The command ran out of time and was ended.";
    case "aborted":
      return `The command was stopped while it ran${because(reason)}.`;
    case "jail-refused":
      return `The jail could not be built, so it did not run${because(reason)}.`;
    case "not-started":
      return `It was allowed and did not start${because(reason)}.`;
    case "interrupted":
      if (outcome.code === "MOUNT_LOST") return `It was stopped while it ran${because(reason)}.`;
      return `The hub ended while it ran; what it did until then is unknown${because(reason)}.`;
  }
}

/** The hub's reason names the person already. */
function denial(by: Decider | undefined, reason: string | undefined): string {
  if (reason?.startsWith("Denied by ")) return reason;
  return `Denied by ${by === undefined ? "the hub" : DECIDER_WORDS[by]}${because(reason)}`;
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === "" ? "" : `: ${reason}`;
}

/** With its lines, because it is to be proposed as it stands. */
function quoted(command: string): string {
  return `\`${visibleLines(command).join("\n")}\``;
}
