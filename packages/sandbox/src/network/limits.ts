/** Every bound of an observer that isn't a rule's. */
export interface EgressLimits {
  readonly sandboxes: number;
  /** How often flows that are there are looked through, and counts compared. */
  readonly sweepMs: number;
  /** A flow that lasts is told of so often. */
  readonly interimMs: number;
  /** How often it is written down that somebody looks. */
  readonly aliveMs: number;
  /** Attempts that were blocked and are remembered, of one sandbox; and for how long, so that one that is sent again isn't told again. */
  readonly attempts: number;
  readonly attemptMs: number;
  /** Receipts of blocked attempts of one sandbox: at first, and then each second. What is more is counted as dropped. */
  readonly blockedBurst: number;
  readonly blockedPerSecond: number;
  /** How long a blocked packet to a name that was just looked up may take to come again. */
  readonly holdMs: number;
  /** Addresses with names, of one sandbox. */
  readonly names: number;
  /** How long what waits may take to be delivered when it ends. */
  readonly drainMs: number;
  readonly recorderAnswerMs: number;
}

export const EGRESS_LIMITS: EgressLimits = {
  sandboxes: 4_096,
  sweepMs: 10_000,
  interimMs: 60_000,
  aliveMs: 1_000,
  attempts: 4_096,
  attemptMs: 130_000,
  blockedBurst: 500,
  blockedPerSecond: 50,
  holdMs: 5_000,
  names: 4_096,
  drainMs: 5_000,
  recorderAnswerMs: 15_000,
};
