import type { Decider, RiskLevel, Verdict } from "@countersign/vocabulary";

export interface Decision {
  readonly verdict: Verdict;
  readonly by: Decider;
  /** One sentence: which rule, row or entry made it. */
  readonly reason: string;
  /** Ids of the entries or grants that covered or denied it. */
  readonly entryIds: readonly string[];
  /** Of the approval whose denial stands, where that is what denies. */
  readonly repeats?: string;
  /** Risk as it stands under the enforcement that the run will have. */
  readonly riskLevel: RiskLevel;
  readonly riskReasons: readonly string[];
}
