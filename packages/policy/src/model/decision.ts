import type { RiskLevel } from "./effect.ts";

/**
 * allow: a permit may be made.
 * ask:   a person must answer first.
 * deny:  the command does not run.
 */
export type Verdict = "allow" | "ask" | "deny";

/** What or who made a decision. Closed: it is on every receipt. */
export const DECIDERS = [
  "policy",
  "entry",
  "grant",
  "person",
  "timeout",
  "floor",
  "deny-entry",
  "undelivered",
  "shutdown",
  "cancelled",
  "paused",
  "agent-prompt",
] as const;
export type Decider = (typeof DECIDERS)[number];

/** How far what was decided is also what can happen. */
export const ENFORCEMENTS = ["jail", "enforced", "advisory", "none"] as const;
export type Enforcement = (typeof ENFORCEMENTS)[number];

export const JAILS = ["read-only", "read-only+network", "workspace", "open", "none"] as const;
export type Jail = (typeof JAILS)[number];

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
