import { canonicalize, type Json } from "@countersign/receipts";
import { type DecisionSignature, signChange } from "@countersign/sdk";
import type { PageHub } from "./page-hub.ts";

/** Returns the signature fields for a change, over what the page displayed; empty if this device has no key. */
export async function signChangeFields(
  { approvalId, content }: { readonly approvalId: string; readonly content: object },
  { device: { key } }: PageHub,
): Promise<Partial<DecisionSignature>> {
  return key === undefined ? {} : await signChange({ approvalId, canonical: canonicalize(content as Json) }, key);
}
