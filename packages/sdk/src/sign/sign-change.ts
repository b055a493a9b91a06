import type { DeviceKey } from "./device-key.ts";
import { type DecisionSignature, signFresh } from "./sign-card.ts";

/** Something that is changed rather than answered: what it is about, and its content in the form of RFC 8785. */
export interface ChangeToSign {
  readonly approvalId: string;
  readonly canonical: string;
}

/** A decision's signature over a change: nothing but the device that was shown it can have made it. */
export async function signChange(
  { approvalId, canonical }: ChangeToSign,
  key: Pick<DeviceKey, "keyId" | "privateKey">,
): Promise<DecisionSignature> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return await signFresh({ approvalId, proposalHash: `sha256:${hex}`, decision: "allow-always" }, key);
}
