import { HubError } from "../hub-error.ts";
import type { Commit } from "../store/store.ts";

/** Of two signed changes that use one nonce the second changes nothing. */
export function refuseReplay(commit: Commit): void {
  if (commit.ok) return;
  if (commit.refusal === "NONCE_USED") throw new HubError("UNAUTHORIZED", "This nonce was used before: sign again");
  throw new HubError("INTERNAL", `The store refused the change (${commit.refusal})`);
}
