import { filterSecrets } from "@countersign/core/redaction";

/** What a caller does about it: tell the model, which can mend its input. Nothing was proposed or written. */
type InputCode =
  | "INVALID_INPUT"
  /** The path, or the link at its end, leads out of the workspace. */
  | "OUTSIDE_WORKSPACE"
  | "NOT_FOUND"
  /** A directory where a file is meant, or the reverse. */
  | "WRONG_KIND"
  /** A fifo, a device or a socket. */
  | "SPECIAL_FILE"
  | "TOO_LARGE"
  /** The file isn't text, or holds something that agents aren't shown: it can't be edited by what was seen of it. */
  | "NOT_SHOWN"
  | "NO_MATCH"
  | "AMBIGUOUS";

/** What a caller does about it: mend the program that wires the tools. */
type WiringCode =
  | "DUPLICATE_TOOL"
  /** A tool that isn't known to be without effects says that it needs no approval. */
  | "NEEDS_APPROVAL"
  /** An identity whose role may not do what it is given for. */
  | "WRONG_ROLE"
  /** The file is Countersign's own. */
  | "OUR_FILE";

export class ToolError extends Error {
  readonly code: InputCode | WiringCode;
  constructor(code: InputCode | WiringCode, message: string, options?: ErrorOptions) {
    super(filterSecrets(message), options);
    this.name = "ToolError";
    this.code = code;
  }
}
