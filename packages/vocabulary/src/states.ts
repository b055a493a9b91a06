/** What a token lets its holder do. */
export const ROLES = ["agent", "observer", "approver", "hub"] as const;
export type Role = (typeof ROLES)[number];

/** What a device registers as at the gateway. */
export const DEVICE_TYPES = ["client", "hub", "agent"] as const;
export type DeviceType = (typeof DEVICE_TYPES)[number];

/**
 * In this order, forwards only. `pending` waits for a person; `decided` was allowed and has not started; `started` means
 * that a process may exist.
 */
export const PROPOSAL_STATES = ["pending", "decided", "started", "ended"] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

export const APPROVAL_STATES = ["pending", "resolved", "expired", "cancelled"] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** How a proposal ends that was refused: somebody or the policy said no, nobody answered in time, its proposer withdrew it. */
export const REFUSED_OUTCOMES = ["denied", "expired", "cancelled"] as const;
export type RefusedOutcome = (typeof REFUSED_OUTCOMES)[number];

/** How a proposal ended. `interrupted`: a crash between start and end, or the hub ended it and says why. */
export const OUTCOME_KINDS = [
  "exited",
  "signalled",
  "timed-out",
  "aborted",
  ...REFUSED_OUTCOMES,
  "jail-refused",
  "not-started",
  "interrupted",
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];
