/**
 * allow: a permit may be made.
 * ask:   a person must answer first.
 * deny:  the command does not run.
 *
 * Ranked from permissive to strict.
 */
export const VERDICTS = ["allow", "ask", "deny"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What or who made a decision. Every receipt of a decision names one. */
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

/** What a person answers. */
export const APPROVAL_DECISIONS = ["allow-once", "allow-always", "deny"] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** How far a decision binds a run that somebody else starts. */
export const EXTERNAL_ENFORCEMENTS = ["enforced", "advisory", "none"] as const;
export type ExternalEnforcement = (typeof EXTERNAL_ENFORCEMENTS)[number];

/** How far a decision binds a run. `jail`: the kernel refuses what wasn't predicted. */
export const ENFORCEMENTS = ["jail", ...EXTERNAL_ENFORCEMENTS] as const;
export type Enforcement = (typeof ENFORCEMENTS)[number];

/** The jails that can be built, which are those that a person can choose. */
export const BUILT_JAILS = ["read-only", "read-only+network", "workspace", "open"] as const;
export type BuiltJail = (typeof BUILT_JAILS)[number];

export const JAILS = [...BUILT_JAILS, "none"] as const;
export type Jail = (typeof JAILS)[number];
