import { filterSecrets } from "@countersign/core/redaction";

/** Codes for the model, which can fix its input. Nothing was proposed or written. */
type InputCode =
  | "INVALID_INPUT"
  /** The path, or the target of its last link, is outside of the workspace. */
  | "OUTSIDE_WORKSPACE"
  | "NOT_FOUND"
  /** A directory instead of a file, or the reverse. */
  | "WRONG_KIND"
  /** A fifo, a device or a socket. */
  | "SPECIAL_FILE"
  | "TOO_LARGE"
  /** The file isn't text or was redacted, so an edit based on its shown text would be wrong. */
  | "NOT_SHOWN"
  | "NO_MATCH"
  | "AMBIGUOUS";

/** Codes for the developer who wires up the tools. */
type WiringCode =
  | "DUPLICATE_TOOL"
  /** A tool with possible effects says that it needs no approval. */
  | "NEEDS_APPROVAL"
  /** The role of an identity doesn't allow its use. */
  | "WRONG_ROLE"
  /** The file belongs to Countersign. */
  | "OUR_FILE";

export class ToolError extends Error {
  readonly code: InputCode | WiringCode;
  constructor(code: InputCode | WiringCode, message: string, options?: ErrorOptions) {
    super(filterSecrets(message), options);
    this.name = "ToolError";
    this.code = code;
  }
}
