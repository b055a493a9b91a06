import type { ProblemCode } from "@countersign/protocol/proposals";
import { filterSecrets } from "../redaction/index.ts";

/** Every refusal that a caller is told about. The codes are the wire's; see `problem.ts` in the SDK. */
export class HubError extends Error {
  readonly code: ProblemCode;
  constructor(code: ProblemCode, message: string, options?: ErrorOptions) {
    // What a caller got wrong is quoted.
    super(filterSecrets(message), options);
    this.name = "HubError";
    this.code = code;
  }
}
