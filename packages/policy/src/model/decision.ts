import type { Decider, RiskLevel, Verdict } from "@countersign/vocabulary";

export interface Decision {
  readonly verdict: Verdict;
  readonly by: Decider;
  /** One sentence that names the rule, the row of the table or the entry. */
  readonly reason: string;
  /** Ids of the entries or grants that allowed or denied it. */
  readonly entryIds: readonly string[];
  /** Id of the approval whose denial is repeated here. */
  readonly repeats?: string;
  /** Risk under the enforcement of the run. */
  readonly riskLevel: RiskLevel;
  readonly riskReasons: readonly string[];
}
