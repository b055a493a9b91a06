import { HubError, StartError } from "@countersign/core/errors";
import { StoreError } from "@countersign/store";
import { CliError } from "../base/index.ts";

/** What the server's own parts refuse, told as the CLI tells it; anything else stays a bug. */
export function asCliError(cause: unknown): unknown {
  if (cause instanceof HubError) return new CliError(cause.code, `${cause.message.replace(/\.$/, "")}.`, { cause });
  if (cause instanceof StartError || cause instanceof StoreError) {
    return new CliError({ server: cause.code }, cause.message, { cause });
  }
  return cause;
}
