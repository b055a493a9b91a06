import { HubError } from "@countersign/core/errors";
import { holdsSecret } from "@countersign/core/redaction";

/** A policy is a file that is read, shown and recorded: no place for a secret. */
export function refuseSecrets(entries: readonly unknown[] = []): void {
  if (!holdsSecret(entries)) return;
  throw new HubError("INVALID_PARAMS", "An entry holds a secret, which isn't kept: write ** where it stands");
}
