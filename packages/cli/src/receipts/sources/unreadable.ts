import { CliError, EXIT } from "../../base/index.ts";

/** There is no verdict on what can't be read: neither whole nor broken. */
export function unreadable(message: string, cause?: unknown): CliError {
  return new CliError("UNREADABLE", message, { exitCode: EXIT.unreadable, cause });
}
