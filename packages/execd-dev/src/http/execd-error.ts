/**
 * What execd itself answers. INVALID_REQUEST_BODY, MISSING_QUERY, INVALID_PARAMETER, INVALID_FILE…: change the request. FILE_NOT_FOUND,
 * CONTEXT_NOT_FOUND: it isn't there. RUNTIME_ERROR: the message tells what the machine said. NOT_SUPPORTED: this build has no such thing.
 */
type ExecdCode =
  | "INVALID_REQUEST_BODY"
  | "MISSING_QUERY"
  | "INVALID_PARAMETER"
  | "RUNTIME_ERROR"
  | "INVALID_FILE"
  | "INVALID_FILE_CONTENT"
  | "INVALID_FILE_METADATA"
  | "FILE_NOT_FOUND"
  | "UNKNOWN"
  | "CONTEXT_NOT_FOUND"
  | "NOT_SUPPORTED"
  | "ALREADY_CONNECTED";

/** Ours: the path isn't of what this execd was given; ask for one that is. */
type JailCode = "OUTSIDE_WORKSPACE";

/** Ours: a stock execd has no limits. The message names the limit; send less, or wait for something to end. */
type LimitCode =
  | "BODY_TOO_LARGE"
  | "TOO_MANY_PROCESSES"
  | "TOO_MANY_SESSIONS"
  | "TOO_MANY_MOUNTS"
  | "TOO_MANY_RESULTS"
  | "FILE_TOO_LARGE"
  /** What it would be written to is full: a disk, or what an overlay may take up. */
  | "NO_SPACE";

/** An answer that isn't success, in execd's shape. */
export class ExecdError extends Error {
  readonly status: number;
  readonly code: ExecdCode | LimitCode | JailCode;

  constructor(status: number, code: ExecdCode | LimitCode | JailCode, message = "", options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "ExecdError";
    this.status = status;
    this.code = code;
  }
}
