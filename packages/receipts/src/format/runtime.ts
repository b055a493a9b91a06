import type { Receipt, UnsignedReceipt } from "./receipt.ts";
import { integer, object, someText, type TypeOf, text } from "./shape.ts";

/**
 * Marks a receipt as written by this library, inside what is signed, so that nobody can take the mark off. From it a
 * verifier knows that the proof says nothing that isn't signed too: `created` repeats `issuanceDate`, and
 * `verificationMethod` is the did:key of the key that signed. In the peer's format both can be changed unnoticed.
 */
export const FORMAT = "countersign/1";

const SHA256 = /^sha256:[0-9a-f]{64}$/;
const sha256 = text({ read: SHA256, write: SHA256 });

const chainRef = object({ chain_id: someText, sequence: integer(1), receipt_hash: sha256 }, {});
/** Where a chain stood. */
export type ChainRef = TypeOf<typeof chainRef>;

const runtimeShape = object(
  {},
  {
    format: someText,
    /** Fingerprint of the key that may follow the one in use: on a chain's first receipt, and on each rotation. */
    nextKey: sha256,
    /** Where the root chain stood when a sub-chain began. */
    parentChainRef: chainRef,
    /** On the first receipt of a sub-chain: where the one ended that it goes on from, under a key that was given up since. */
    continues: chainRef,
    /** A signed note, on the receipt that puts a checkpoint on the root chain. */
    checkpoint: someText,
  },
);

/** The members of `issuer.runtime` that verification rests on. */
export type Runtime = TypeOf<typeof runtimeShape>;

/** null: one of them has another form than ours. */
export function readRuntime(receipt: Pick<UnsignedReceipt, "issuer">): Runtime | null {
  const runtime = receipt.issuer.runtime;
  if (runtime == null) return {};
  return runtimeShape.check(runtime, "read") === null ? (runtime as Runtime) : null;
}

/**
 * `binding` and `coverage` as ADR-0027 has them, in `credentialSubject`, or where we write them. Both are covered by
 * the signature; ours wins.
 */
export function runtimeField(receipt: Receipt, name: "binding" | "coverage"): unknown {
  return receipt.issuer.runtime?.[name] ?? (receipt.credentialSubject as Record<string, unknown>)[name] ?? null;
}
