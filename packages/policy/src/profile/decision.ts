import type { RiskLevel } from "../model/index.ts";
import type { Denial } from "./denial.ts";
import type { Entry, Grant } from "./profile.ts";

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

export interface Circumstances {
  readonly enforcement: Enforcement;
  /** Whether a person can be asked at all; false for unattended agents. */
  readonly attended: boolean;
  readonly nowMs: number;
  /** What a person allowed beside the profile, for this session or for a while. */
  readonly allowed?: { readonly entries: readonly Entry[]; readonly grants: readonly Grant[] };
  /** What a person denied in this session. */
  readonly denials?: readonly Denial[];
  /** Of the proposal itself: by it a repeated one is known. */
  readonly proposalHash?: string;
  /** SHA-256 of a file as it is now, null where there's no such file, undefined where nobody looked. */
  readonly hashFile?: ((path: string) => string | null | undefined) | undefined;
}
