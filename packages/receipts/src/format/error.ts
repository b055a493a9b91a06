/** A receipt that can't be made as asked. The caller's own fault each time: nothing was signed, and retrying won't help. */
export type ReceiptErrorCode =
  | "INVALID_DRAFT" // a field that the format doesn't have, or not like this; the message has its path
  | "RISK_BELOW_FLOOR" // the action's type has a higher level in the taxonomy; raise it
  | "OVERSIZE" // longer than MAX_RECEIPT_BYTES; put hashes instead of contents
  | "INVALID_SIGNATURE" // the signer answered with something else than 64 bytes
  | "INVALID_NOTE"; // an origin or a name that a signed note can't carry

export class ReceiptError extends Error {
  readonly code: ReceiptErrorCode;
  constructor(code: ReceiptErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ReceiptError";
    this.code = code;
  }
}

/** As long as the recorder's longest frame: a receipt of ours holds hashes, and comes nowhere near it. */
export const MAX_RECEIPT_BYTES = 1024 * 1024;
