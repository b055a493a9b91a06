import type { JsonFault } from "@countersign/receipts";

/** Why a connection or a request isn't the one of a sandbox: NO_CERTIFICATE … OTHER_SANDBOX: give the sandbox its own bundle, or a new one. */
export type AdmissionCode =
  | "NO_CERTIFICATE"
  | "UNTRUSTED_CERTIFICATE"
  | "EXPIRED_CERTIFICATE"
  | "REVOKED_CERTIFICATE"
  | "WRONG_NAME"
  | "TOO_MANY_CONNECTIONS";

/**
 * Why a frame or a request wasn't taken. TOO_MANY_FRAMES, TOO_MANY_BYTES, BUSY, SPOOL_FULL, RECORDER_REFUSES: send it again, not before
 * Retry-After. The others: sending it again won't help.
 */
export type RelayCode =
  | AdmissionCode
  | JsonFault
  | "OTHER_SANDBOX"
  | "UNKNOWN_VERSION"
  | "INVALID_FRAME"
  | "FRAME_TOO_LONG"
  | "EMPTY_BODY"
  | "BODY_TOO_LONG"
  | "TOO_MANY_LINES"
  | "WRONG_TYPE"
  | "NOT_FOUND"
  | "TOO_MANY_FRAMES"
  | "TOO_MANY_BYTES"
  | "BUSY"
  | "SPOOL_FULL"
  | "REFUSED";

const STATUS: Partial<Record<RelayCode, number>> = {
  ...{ NO_CERTIFICATE: 401, UNTRUSTED_CERTIFICATE: 401, EXPIRED_CERTIFICATE: 401, REVOKED_CERTIFICATE: 403 },
  ...{ WRONG_NAME: 403, OTHER_SANDBOX: 403, TOO_MANY_CONNECTIONS: 429, NOT_FOUND: 404, WRONG_TYPE: 415 },
  ...{ BODY_TOO_LONG: 413, FRAME_TOO_LONG: 413, TOO_MANY_LINES: 413 },
  ...{ TOO_MANY_FRAMES: 429, TOO_MANY_BYTES: 429, BUSY: 503, SPOOL_FULL: 503 },
};

export class RelayError extends Error {
  readonly code: RelayCode;
  /** Seconds, where it is worth another try. */
  readonly retryAfterS: number | undefined;

  constructor(code: RelayCode, message: string, options: ErrorOptions & { retryAfterS?: number } = {}) {
    super(message, options);
    this.name = "RelayError";
    this.code = code;
    this.retryAfterS = options.retryAfterS;
  }

  /** For HTTP. */
  get status(): number {
    return STATUS[this.code] ?? 422;
  }
}
