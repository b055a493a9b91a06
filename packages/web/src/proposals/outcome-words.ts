import { DECIDER_WORDS, outcomeWord, RISK_WORDS } from "@countersign/protocol/describe";
import type { HistoryRowView } from "@countersign/protocol/policy";
import type { OutcomeWithoutOutput } from "@countersign/protocol/proposals";
import { type Decider, type OutcomeKind, REFUSED_OUTCOMES } from "@countersign/vocabulary";

export interface OutcomeWords {
  readonly word: string;
  readonly tone: "well" | "ill" | "unknown";
}

/** Describes an outcome, and whether it is a success. */
export function describeOutcome(outcome: OutcomeWithoutOutput | undefined): OutcomeWords {
  if (outcome === undefined) return { word: "ended", tone: "unknown" };
  return { word: outcomeWord(outcome), tone: outcome.kind === "exited" && outcome.exitCode === 0 ? "well" : "ill" };
}

/** `succeeded` and `failed` are both the outcome `exited`. */
export function describeResult({ result, exitCode }: Pick<HistoryRowView, "result" | "exitCode">): OutcomeWords {
  if (result === "unknown") return describeOutcome(undefined);
  const kind = result === "succeeded" || result === "failed" ? "exited" : (result as OutcomeKind);
  return describeOutcome({ kind, ...(exitCode === null ? {} : { exitCode }) });
}

/** The person or rule that decided. */
export function describeDecider({ by, person }: Pick<HistoryRowView, "by" | "person">): string {
  if (person !== null) return person;
  return by === null ? "" : (DECIDER_WORDS[by as Decider] ?? by);
}

/** Undefined for a safe command: most are. */
export function unsafeWord(risk: unknown): string | undefined {
  return risk === "needs-review" || risk === "dangerous" ? RISK_WORDS[risk] : undefined;
}

const REFUSED = new Set<string>(REFUSED_OUTCOMES);

export function wasAllowed({ result }: Pick<HistoryRowView, "result">): boolean {
  return !REFUSED.has(result);
}
