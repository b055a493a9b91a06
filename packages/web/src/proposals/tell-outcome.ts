import { outcomeWord } from "@countersign/protocol/describe";
import type { OutcomeWithoutOutput } from "@countersign/protocol/proposals";

export interface ToldOutcome {
  readonly word: string;
  readonly tone: "well" | "ill" | "unknown";
}

/** How it ended, and whether that is well. */
export function tellOutcome(outcome: OutcomeWithoutOutput | undefined): ToldOutcome {
  if (outcome === undefined) return { word: "ended", tone: "unknown" };
  return { word: outcomeWord(outcome), tone: outcome.kind === "exited" && outcome.exitCode === 0 ? "well" : "ill" };
}
