/** Every bound of a relay. */
export interface RelayLimits {
  readonly connections: number;
  readonly connectionsPerSandbox: number;
  /** Connections that haven't shown a certificate that is taken, of one address (of IPv6: of one /64) and of all: nobody holds all without one. */
  readonly handshakesPerAddress: number;
  readonly handshakes: number;
  /** A request's body, and the frames in it. */
  readonly bodyBytes: number;
  readonly framesPerRequest: number;
  /** The recorder takes 1 MiB; some of it is what the relay adds. */
  readonly frameBytes: number;
  /** Bodies of all sandboxes that are being dealt with at once. */
  readonly heldBytes: number;
  /** What one sandbox may send: at first, and then each second. */
  readonly frameBurst: number;
  readonly framesPerSecond: number;
  readonly byteBurst: number;
  readonly bytesPerSecond: number;
  /** What waits on disk for a recorder that is away; and how much of that is one sandbox's. */
  readonly spoolBytes: number;
  readonly spoolBytesPerSandbox: number;
  /** A handshake, a request's head, and all of a request. */
  readonly handshakeMs: number;
  readonly headMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
  /** How long whoever is refused may take to read why. */
  readonly lingerMs: number;
  /** A recorder that doesn't answer for so long is left. */
  readonly recorderAnswerMs: number;
  /** Frames that it hasn't answered. */
  readonly recorderFramesWaiting: number;
  /** How often the list of what is revoked is looked at. */
  readonly crlEveryMs: number;
}

const MIB = 1024 * 1024;

export const RELAY_LIMITS: RelayLimits = {
  connections: 1_024,
  connectionsPerSandbox: 4,
  handshakesPerAddress: 256,
  handshakes: 512,
  bodyBytes: 4 * MIB,
  framesPerRequest: 256,
  frameBytes: MIB - 4 * 1024,
  heldBytes: 64 * MIB,
  frameBurst: 10_000,
  framesPerSecond: 1_000,
  byteBurst: 32 * MIB,
  bytesPerSecond: 4 * MIB,
  spoolBytes: 64 * MIB,
  spoolBytesPerSandbox: 16 * MIB,
  handshakeMs: 10_000,
  headMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  lingerMs: 1_000,
  recorderAnswerMs: 15_000,
  recorderFramesWaiting: 1_024,
  crlEveryMs: 500,
};
