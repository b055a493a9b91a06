/** What agents can make a proxy hold, over all of their connections. */
export interface ProxyLimits {
  /** Of calls that wait to pass, of what was sent ahead of them, and of heads that aren't whole: more is 503. */
  readonly heldBytes: number;
  /** Connections on which nothing is under way: of more than these, the one that has been so for longest is closed. */
  readonly idleAgents: number;
  /** How long one may be so. */
  readonly idleMs: number;
  /** How long a new connection may say nothing, and a head may take from its first byte: that is 408. */
  readonly headMs: number;
  /** How long the rest of a call that is held may keep the gate waiting for its next byte: then it is 408. */
  readonly stallMs: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  ...{ heldBytes: 32 * 1024 * 1024, idleAgents: 1_024 },
  ...{ idleMs: 300_000, headMs: 10_000, stallMs: 60_000 },
};
