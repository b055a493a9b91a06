/** Every bound of the jails' networks. Where one is reached, the refusal names it: `(limit: …)`. */
export interface NetworkLimits {
  /** Networks in use at once. */
  readonly rooms: number;
  /** From the start of a network's holder until it has handed over what it made. */
  readonly holderMs: number;
  /** Connections to one network's proxy at once, and to all of them: each costs the hub two descriptors. */
  readonly connectionsPerRoom: number;
  readonly connections: number;
  /** From a connection's start until its first request is whole. */
  readonly firstRequestMs: number;
  readonly headerBytes: number;
  /** Names that one network may have looked up at the same time. The hub's threads for that are few. */
  readonly lookupsPerRoom: number;
  /** Looking up a name and connecting, together. */
  readonly connectMs: number;
  /** How long nothing may pass in either direction. */
  readonly idleMs: number;
  /** Different refusals of a network that are kept for the outcome; those after them are counted. */
  readonly refusalsKept: number;
}

export const DEFAULT_NETWORK_LIMITS: NetworkLimits = {
  rooms: 256,
  holderMs: 10_000,
  connectionsPerRoom: 128,
  connections: 2_048,
  firstRequestMs: 10_000,
  headerBytes: 32 * 1024,
  lookupsPerRoom: 2,
  connectMs: 30_000,
  idleMs: 300_000,
  refusalsKept: 32,
};
