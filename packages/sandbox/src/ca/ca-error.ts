/**
 * NO_CA: run `ca init`. CA_EXISTS: it is there, use it. CA_INVALID: restore it, or begin another and give every sandbox and relay a new bundle.
 * INVALID_ID, INVALID_HOST, INVALID_SPAN: give another. ALREADY_ISSUED: renew it, or revoke it first. FILE_EXISTS: choose another file.
 * NOT_FOUND: `ca list` tells what there is. BUSY: another command is at it; try again.
 */
export type CaErrorCode =
  | "NO_CA"
  | "CA_EXISTS"
  | "CA_INVALID"
  | "INVALID_ID"
  | "INVALID_HOST"
  | "INVALID_SPAN"
  | "ALREADY_ISSUED"
  | "FILE_EXISTS"
  | "NOT_FOUND"
  | "BUSY"
  | "BUNDLE_INVALID";

export class CaError extends Error {
  readonly code: CaErrorCode;
  constructor(code: CaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CaError";
    this.code = code;
  }
}
