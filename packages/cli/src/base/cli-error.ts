import type { ProblemCode } from "@countersign/protocol/proposals";
import { EXIT } from "@countersign/vocabulary";

/**
 * NO_HUB: start one. UNREACHABLE: the address doesn't answer; check it. HUB_GONE: it ended before it answered; look at
 * its state, then try again. BAD_ANSWER: what answers isn't a hub of this version. NO_HOME, TOKEN_MISSING, URL_REFUSED,
 * ID_UNCLEAR, UNREADABLE, FAILED: the message says what to give instead. The wire's own codes keep their meaning; codes of a
 * refused start or a store's failure are those of the server.
 */
export type CliErrorCode =
  | "NO_HUB"
  | "UNREACHABLE"
  | "HUB_GONE"
  | "BAD_ANSWER"
  | "NO_HOME"
  | "TOKEN_MISSING"
  | "URL_REFUSED"
  | "ID_UNCLEAR"
  | "UNREADABLE"
  | "FAILED"
  | ProblemCode;

/** A failure that the user is told in one sentence, with what to do. */
export class CliError extends Error {
  readonly code: string;
  readonly exitCode: number;

  constructor(
    code: CliErrorCode | { readonly server: string },
    message: string,
    { exitCode = EXIT.failed, cause }: { exitCode?: number; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "CliError";
    this.code = typeof code === "string" ? code : code.server;
    this.exitCode = exitCode;
  }

  /** The same failure, for a command whose exit codes mean something else. */
  withExitCode(exitCode: number): CliError {
    return new CliError({ server: this.code }, this.message, { exitCode, cause: this });
  }
}
