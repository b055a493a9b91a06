import type { OutcomeKind } from "@countersign/vocabulary";
import type { FileChange, Outcome } from "../proposals/index.ts";
import { visible } from "../text/index.ts";

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
