/** Every bound of the hub in one place. Going over one is answered with LIMIT and the limit's name. */
export interface Limits {
  /** Approvals that one session may have waiting. */
  readonly pendingPerSession: number;
  /** Approvals waiting in all. */
  readonly pending: number;
  /** Commands running at once. */
  readonly running: number;
  /** How long a proposer whose connection was cut may take to come back with the same `proposalId`. */
  readonly returnMs: number;
  /** How long a permit lives between the decision and the start. */
  readonly permitMs: number;
  /** Between TERM and KILL, and how long grandchildren may hold the output open after the shell ended. */
  readonly killGraceMs: number;
  /** How long a stored outcome, which holds output, can be fetched again. */
  readonly outcomeKeptMs: number;
  /** One JSON line on the socket, one HTTP body. */
  readonly frameBytes: number;
  /** Connections to the local socket at once. */
  readonly socketConnections: number;
  /** Most approvals in one page of a listing. */
  readonly pageSize: number;
}

export const DEFAULT_LIMITS: Limits = {
  pendingPerSession: 64,
  pending: 20_000,
  running: 256,
  returnMs: 10_000,
  permitMs: 60_000,
  killGraceMs: 2_000,
  outcomeKeptMs: 86_400_000,
  frameBytes: 1024 * 1024,
  socketConnections: 16_384,
  pageSize: 1_000,
};
