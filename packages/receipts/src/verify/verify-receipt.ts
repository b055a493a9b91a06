import { didUrlOfKey, equalBytes, isDidKey, keyOfDid, type ReceiptCrypto } from "../crypto/index.ts";
import { type BytesRule, type Examined, examineReceipt, type ReceiptFacts } from "./check-receipt.ts";
import { type Fault, type FaultCode, faultOf, malformedAt, NewerReceipts } from "./fault.ts";
import type { KeyResolver } from "./key-resolver.ts";

export interface ReceiptOptions {
  readonly crypto: ReceiptCrypto;
  readonly keys: KeyResolver;
  readonly bytes?: BytesRule;
}

export type ReceiptCheck =
  | { readonly isValid: true; readonly facts: ReceiptFacts }
  | { readonly isValid: false; readonly fault: Fault };

/**
 * One receipt by itself: its form and its signature. What it says about its place in a chain isn't checked, because
 * that takes the receipts before it.
 */
export async function verifyReceipt(raw: Uint8Array, options: ReceiptOptions): Promise<ReceiptCheck> {
  const examined = examineReceipt(raw, options.crypto, options.bytes);
  if (examined.kind === "malformed") return { isValid: false, fault: malformedAt(0, examined) };
  const { facts } = examined;
  const fault = await signatureFault(examined, options);
  if (fault !== null) return { isValid: false, fault: faultOf(facts, fault) };
  const newer = new NewerReceipts();
  newer.note(facts, 0);
  return newer.fault === null ? { isValid: true, facts } : { isValid: false, fault: newer.fault };
}

async function signatureFault(
  { facts, message, signature }: Examined,
  { keys, crypto }: ReceiptOptions,
): Promise<Fault | null> {
  const fault = (code: FaultCode, detail: string): Fault => ({ code, index: 0, detail });
  const found = keys(facts);
  if (found === null) return fault("UNRESOLVABLE_DID", `no key for ${facts.verificationMethod}`);
  const publicKey = found instanceof Uint8Array ? found : found.publicKey;
  if (!namesKey(facts, publicKey)) return fault("INVALID_SIGNATURE", `${facts.verificationMethod} isn't the key`);
  const isValid = await crypto.verify({ publicKey, message, signature });
  return isValid ? null : fault("INVALID_SIGNATURE", "changed since it was signed, or another key");
}

/** A did:key in a proof isn't signed: unless it is the key that verifies, it says something that nobody vouches for. */
export function namesKey({ verificationMethod, isOurs }: ReceiptFacts, publicKey: Uint8Array): boolean {
  if (isOurs) return verificationMethod === didUrlOfKey(publicKey);
  if (!isDidKey(verificationMethod)) return true;
  const named = keyOfDid(verificationMethod);
  return named !== null && equalBytes(named, publicKey);
}
