import type { SharedFrames } from "./shared-frames.ts";

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
  /** As `send`, for several at once, none of which is larger than `frameBytes`. */
  sendShared(frames: SharedFrames): boolean;
  /** Resolves when no more than so many bytes wait to be read, a quarter of the limit unless told, or the other side is gone. */
  drained(most?: number): Promise<void>;
  close(code: number, reason: string): void;
}
