import type { Log } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecrets } from "@countersign/core/redaction";
import type { Problem } from "@countersign/protocol/proposals";
import { StoreError } from "@countersign/store";

/**
 * Converts a failure to what a caller may see: a HubError keeps its code, and everything else becomes INTERNAL without
 * details.
 */
export function problemOf(cause: unknown, log: Log): Problem {
  if (cause instanceof HubError) return { code: cause.code, message: cause.message };
  log.error({ err: cause }, "a request failed; nothing was run for it");
  if (cause instanceof StoreError) {
    return {
      code: "INTERNAL",
      message: filterSecrets(`Nothing was run, because it could not be recorded: ${cause.code} (${cause.message})`),
    };
  }
  return { code: "INTERNAL", message: "Something went wrong inside Countersign; its log says what. Nothing was run." };
}
