import { canonicalize, type Json } from "@countersign/receipts";
import { type DecisionSignature, signChange } from "@countersign/sdk";
import type { PageHub } from "./page-hub.ts";

/** What goes beside a change of something: this device's signature over it as it was shown. Nothing, where it has no key. */
export async function signChangeFields(
  { approvalId, content }: { readonly approvalId: string; readonly content: object },
  { device: { key } }: PageHub,
): Promise<Partial<DecisionSignature>> {
  return key === undefined ? {} : await signChange({ approvalId, canonical: canonicalize(content as Json) }, key);
}
