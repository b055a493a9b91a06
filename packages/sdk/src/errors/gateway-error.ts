import type { ProblemCode, SendErrorCode } from "@countersign/protocol/proposals";

/**
 * What the hub said (`ProblemCode`), what the gateway said (`SendErrorCode`: nothing was delivered), and the client's own:
 * TIMEOUT, ABORTED, DISCONNECTED: no answer came; the hub may have done it all the same, so look before asking again.
 * A call while the client isn't connected is DISCONNECTED too; then nothing was sent.
 * REPLACED: another client connected as this device; give each its own deviceId.
 * TAMPERED: what came through the gateway was changed, repeated, lost or out of order. It was not taken; the client makes
 * a fresh channel by itself. More than once points to the gateway.
 * MISMATCH: what was shown can't be what the hub would have signed; nothing was sent.
 * INVALID_RESPONSE: an answer came, but not in the wire's form; `cause` has what was wrong with it.
 */
export type GatewayErrorCode =
  | ProblemCode
  | SendErrorCode
  | "TIMEOUT"
  | "ABORTED"
  | "DISCONNECTED"
  | "REPLACED"
  | "TAMPERED"
  | "MISMATCH"
  | "INVALID_RESPONSE";

export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly code: GatewayErrorCode;

  constructor(code: GatewayErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** For what a WebSocket throws. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError("DISCONNECTED", "The message could not be sent", { cause: error });
}
