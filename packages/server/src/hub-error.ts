import type { ProblemCode } from "@countersign/sdk";

/** Every refusal that a caller is told about. The codes are the wire's; see `problem.ts` in the SDK. */
export class HubError extends Error {
  readonly code: ProblemCode;
  constructor(code: ProblemCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "HubError";
    this.code = code;
  }
}
