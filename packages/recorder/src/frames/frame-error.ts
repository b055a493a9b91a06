import type { JsonFault } from "@countersign/receipts";

/**
 * Why a frame isn't on record. EMPTY_FRAME, FRAME_TOO_LONG, HALF_FRAME, BAD_JSON, INVALID_UTF8: not our framing, or no JSON; the connection is
 * closed. The other faults of JSON, UNKNOWN_VERSION, INVALID_FRAME: mend the emitter, sending it again won't help. RESERVED_TYPE,
 * RESERVED_CHANNEL: only the hub says such things. NOT_ENROLLED, ROLE_MISMATCH: enrol the emitter's user in `receipts.emitters`.
 * TOO_MANY_FRAMES, TOO_MANY_BYTES: send it again later. TOO_MANY_CHAINS: not before tomorrow. TOO_MANY_CONNECTIONS: close some.
 * NOT_RECORDED: the store failed; send it again.
 */
export type FrameCode =
  | JsonFault
  | "EMPTY_FRAME"
  | "FRAME_TOO_LONG"
  | "HALF_FRAME"
  | "UNKNOWN_VERSION"
  | "INVALID_FRAME"
  | "RESERVED_TYPE"
  | "RESERVED_CHANNEL"
  | "NOT_ENROLLED"
  | "ROLE_MISMATCH"
  | "TOO_MANY_FRAMES"
  | "TOO_MANY_BYTES"
  | "TOO_MANY_CHAINS"
  | "TOO_MANY_CONNECTIONS"
  | "NOT_RECORDED";

export class FrameError extends Error {
  readonly code: FrameCode;
  constructor(code: FrameCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FrameError";
    this.code = code;
  }
}
