import type { Decider, Outcome } from "./outcome.ts";
import { visible } from "./visible.ts";

/** What made a decision, for sentences. */
export const DECIDER_WORDS: Record<Decider, string> = {
  policy: "the policy",
  entry: "an entry of the policy",
  grant: "a grant",
  person: "a person",
  timeout: "the deadline",
  floor: "the floor, which no policy lifts",
  "deny-entry": "a deny entry of the policy",
  undelivered: "the deadline",
  shutdown: "the hub, which is shutting down",
  cancelled: "whoever proposed it",
  paused: "the pause",
  "agent-prompt": "the agent's own prompt",
};

const NO_WAY_ROUND = "Do not reach the same effect another way; propose something else or ask.";

/**
 * Why there is no exit code of the command: for people, and for the agent that reads our stderr, in the words that every
 * adapter uses. Undefined where the command's own end says it all.
 */
export function outcomeSentence(outcome: Outcome, waitedMs: number): string | undefined {
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
