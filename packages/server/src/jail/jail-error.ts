export type JailErrorCode =
  /** No bwrap that only root can change: install bubblewrap. */
  | "BWRAP_MISSING"
  /** The workspace is a directory that no jail can be cut around, such as `/`: give the agent a narrower one. */
  | "ROOT_TOO_WIDE"
  /** A jail was built and didn't hold or didn't start: the message tells what bwrap said. */
  | "PROBE_FAILED"
  /** This processor's system calls aren't known: nothing can be filtered. */
  | "ARCHITECTURE_UNKNOWN"
  /** A root hub has nobody to become: name an unprivileged user with `sandboxUser`. */
  | "USER_MISSING";

/** A jail could not be built. Nothing was started; nothing is started without it. */
export class JailError extends Error {
  override readonly name = "JailError";
  readonly code: JailErrorCode;

  constructor(code: JailErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
