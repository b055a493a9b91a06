import type { Sealer } from "@countersign/receipts";
import type { PlacedReceipt } from "../base/index.ts";
import { SharedSigning } from "./shared-signing.ts";
import { unpackLinked, type WriteOrder } from "./write-order.ts";

/** Receipts in their places, and as they are stored. */
export interface Sealed {
  readonly placed: readonly PlacedReceipt[];
  readonly raws: readonly Uint8Array[];
}

/** Signs what no other thread does, waits for the rest, and writes each with its proof. */
export function sealShared(
  { shared, packed }: Pick<WriteOrder & { readonly kind: "write" }, "shared" | "packed">,
  sealer: Sealer,
): Sealed {
  const signing = new SharedSigning(shared);
  const unsealed = unpackLinked(packed).map(({ placed, proofAt, date }, at) => {
    const sealable = { message: signing.message(at), proofAt, receipt: { issuanceDate: date } };
    return { placed, sealable, length: sealer.sealedLength(sealable) };
  });
  // Not filled with zeros: all of it is written to.
  const bytes = Buffer.allocUnsafeSlow(unsealed.reduce((sum, { length }) => sum + length, 0));
  signing.signRest((message) => sealer.sign(message));
  let at = 0;
  const raws = unsealed.map(({ sealable, length }, place) => {
    sealer.writeSigned(sealable, signing.signature(place), { into: bytes, at });
    at += length;
    return bytes.subarray(at - length, at);
  });
  return { placed: unsealed.map(({ placed }) => placed), raws };
}
