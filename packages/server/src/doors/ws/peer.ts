/** The other side of a door: a WebSocket of its own, or a sealed channel through a gateway. */
export interface Peer {
  /** Aborted when it has ended. */
  readonly gone: AbortSignal;
  /** The largest text that it takes. */
  readonly frameBytes: number;
  onText(listener: (text: string) => void): void;
  /** False when it could not be handed on, or is too large: then it was not delivered. */
  send(frame: object): boolean;
  /**
   * Whether what was sent so far has reached the other side. A socket of our own answers at once; through a gateway, which
   * may keep what it should pass on, only the other side's word counts. False when it went without giving it.
   */
  confirmed(): Promise<boolean>;
  /** Resolves when the other side has caught up, or is gone. */
  drained(): Promise<void>;
  close(code: number, reason: string): void;
}
