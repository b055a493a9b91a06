import type { SharedFrames } from "./shared-frames.ts";

/** The other end of a connection: a WebSocket, or a sealed channel through a gateway. */
export interface Peer {
  /** Aborted when it has ended. */
  readonly gone: AbortSignal;
  /** The largest text that it accepts. */
  readonly frameBytes: number;
  onText(listener: (text: string) => void): void;
  /** Returns false if the frame is too large or couldn't be handed on: then it wasn't delivered. */
  send(frame: object): boolean;
  /**
   * Whether everything sent so far has arrived. A direct socket answers at once. Through a gateway, which may withhold
   * frames, only the peer's confirmation counts. False if the peer left without confirming.
   */
  confirmed(): Promise<boolean>;
  /** As `send`, for several frames at once. None may be larger than `frameBytes`. */
  sendShared(frames: SharedFrames): boolean;
  /** Resolves when at most `most` bytes (default: a quarter of the limit) are unread, or the peer is gone. */
  drained(most?: number): Promise<void>;
  close(code: number, reason: string): void;
}
