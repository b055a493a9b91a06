/** Why nothing on record from inside a sandbox explains a flow out of it. */
export const UNEXPLAINED_REASONS = ["lost", "nothing-inside", "before-first", "between", "after-last"] as const;
export type UnexplainedReason = (typeof UNEXPLAINED_REASONS)[number];

/** Why the network of a sandbox wasn't observed for a while. */
export const OBSERVER_GAPS = ["not-running", "overrun", "detached"] as const;
export type ObserverGap = (typeof OBSERVER_GAPS)[number];

/** Types of the lines of `audit.jsonl`. */
export const AUDIT_TYPES = ["auth", "tool_exec", "tool_denied", "config_change"] as const;
export type AuditType = (typeof AUDIT_TYPES)[number];
