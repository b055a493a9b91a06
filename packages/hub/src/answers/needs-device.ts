import { HubError } from "@countersign/core/errors";
import type { Assurance } from "../identity/index.ts";
import type { Assessment } from "../proposals/index.ts";

/** Something dangerous, under a profile that takes only a device's signature for it. */
export function refuseUnsure(
  { profile, decision }: Pick<Assessment, "profile" | "decision">,
  { level }: Assurance,
): void {
  if (profile?.assurance !== "device" || decision.riskLevel !== "dangerous" || level === "device") return;
  throw new HubError("UNAUTHORIZED", "This profile takes only a device's signature for something dangerous");
}
