import { HubError } from "@countersign/core/errors";
import type { Commit, Write } from "@countersign/store";
/** How sure the hub is of who answered. */
export type Assurance =
  /** Whoever has the token. */
  | { readonly level: "token" }
  /** The holder of this device's key, over exactly this decision about exactly this proposal. */
  | {
      readonly level: "device";
      readonly deviceId: string;
      /** What it is called. */
      readonly name: string;
      readonly keyId: string;
      readonly nonce: string;
    };

/** How sure the hub was of who it was. */
export function assured(assurance: Assurance = { level: "token" }): Record<string, string> {
  if (assurance.level === "token") return { assurance: assurance.level };
  return { assurance: assurance.level, device: assurance.deviceId, keyId: assurance.keyId };
}

/** Who says that somebody is let in: a caller, as sure as the hub is of them, or whoever started the hub, at its own terminal. */
export type Vouched = Assurance | { readonly level: "terminal" };

export function vouchedFacts(vouched: Vouched): Record<string, string> {
  return vouched.level === "terminal" ? { assurance: vouched.level } : assured(vouched);
}

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
