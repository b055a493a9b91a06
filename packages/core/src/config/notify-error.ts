/**
 * URL_REFUSED: not an address that is asked; write another. ADDRESS_REFUSED: it leads where the hub doesn't go; see `reach`.
 * UNREACHABLE, TIMED_OUT: tried again. REDIRECTED: name the address that it leads to. REFUSED: the other side doesn't take it, and wouldn't the
 * next time. GONE: it isn't there any more, for ever. BUSY: the other side wants it later.
 */
export type NotifyErrorCode =
  | "URL_REFUSED"
  | "ADDRESS_REFUSED"
  | "UNREACHABLE"
  | "TIMED_OUT"
  | "REDIRECTED"
  | "REFUSED"
  | "GONE"
  | "BUSY";

/** Why somebody could not be told. Its words never hold a path, a topic or a key. */
export class NotifyError extends Error {
  readonly code: NotifyErrorCode;
  /** When the other side wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor(code: NotifyErrorCode, message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options);
    this.name = "NotifyError";
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Whether the same might work in a while. */
  get mayPass(): boolean {
    return this.code === "UNREACHABLE" || this.code === "TIMED_OUT" || this.code === "BUSY";
  }
}
