import { HubError } from "@countersign/core/errors";
import type { Commit, Write } from "@countersign/store";
import type { Vouched } from "./admission.ts";

/** With everything that follows from a signature, in the same commit: its nonce is good for this once. */
export function nonceWrites(assurance: Vouched, atMs: number): Write[] {
  return assurance.level === "device" ? [{ op: "use-nonce", nonce: assurance.nonce, atMs }] : [];
}

/** A commit that used a nonce: nothing of it was kept when it had been used before. */
export function refuseReplay(commit: Commit): asserts commit is Commit & { ok: true } {
  if (commit.ok) return;
  if (commit.refusal === "NONCE_USED") throw new HubError("UNAUTHORIZED", "This nonce was used before: sign again");
  throw new HubError("INTERNAL", `The store refused the change (${commit.refusal})`);
}
