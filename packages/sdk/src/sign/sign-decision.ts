import type { ApprovalDecision } from "@countersign/vocabulary";
import { fromBase64url, GatewayError, toBase64url } from "../errors/index.ts";
import { rawKeyOf, type SigningKey } from "./device-key.ts";

/** What an approver's device signs. */
export interface DecisionToSign {
  readonly approvalId: string;
  /** Recomputed from what was displayed: a hub that shows one command and asks about another gets no valid signature. */
  readonly proposalHash: string;
  /** `preview` answers nothing, and so can't be taken for one that does; `allow-if-asks-again` is for a card that has expired. */
  readonly decision: ApprovalDecision | "preview" | "allow-if-asks-again";
  readonly scope?: string | undefined;
  readonly jail?: string | undefined;
  /** How many identical ones it allows; absent in an answer without it, so that one can't be made of the other. */
  readonly times?: number | undefined;
  /** Of `makeNonce`; the hub accepts it once, so that a decision can't be replayed. */
  readonly nonce: string;
}

const NONCE_BYTES = 16;
const SIGNATURE_BYTES = 64;

export function makeNonce(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}

/**
 * The canonical JSON (RFC 8785) of the fields that are present, in UTF-8. For a flat object of well-formed strings and a whole number
 * that is `JSON.stringify` with sorted keys. Named one by one, so that nothing else of the object given gets signed.
 */
export function decisionToSign(decision: DecisionToSign): Uint8Array<ArrayBuffer> {
  const { approvalId, proposalHash, decision: verdict, scope, jail, nonce, times } = decision;
  const fields = { approvalId, decision: verdict, jail, nonce, proposalHash, scope };
  if (times !== undefined && !(Number.isSafeInteger(times) && times > 0))
    throw new GatewayError("INVALID_PARAMS", "times must be a whole number from 1");
  for (const [name, value] of Object.entries(fields)) {
    const fits = value === undefined ? name === "jail" || name === "scope" : isText(value);
    if (!fits) throw new GatewayError("INVALID_PARAMS", `${name} must be well-formed text`);
  }
  return new TextEncoder().encode(JSON.stringify({ ...fields, times }));
}

/** base64url of the signature. */
export async function signDecision(decision: DecisionToSign, privateKey: SigningKey): Promise<string> {
  const signature = await crypto.subtle.sign("Ed25519", privateKey, decisionToSign(decision));
  return toBase64url(new Uint8Array(signature));
}

/**
 * Whether this key signed exactly this. Proves nothing about whose key it is, nor that the nonce is fresh. Throws for a
 * public key that can't be one: that is the caller's, where a signature is the other side's.
 */
export async function verifyDecision(
  decision: DecisionToSign,
  publicKey: Uint8Array<ArrayBuffer> | string,
  signature: string,
): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", rawKeyOf(publicKey), "Ed25519", true, ["verify"]);
  const bytes = readSignature(signature);
  return bytes !== undefined && (await crypto.subtle.verify("Ed25519", key, bytes, decisionToSign(decision)));
}

function readSignature(signature: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = fromBase64url(signature);
    return bytes.length === SIGNATURE_BYTES ? bytes : undefined;
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed();
}
