import { integer, list, object, oneOf, type Shape, someText, type TypeOf } from "../format/index.ts";

/** What stands by itself: with the public key of the ledger's beginning, anybody can check it anywhere. */
export const PROOF_FORMAT = "countersign-proof/1";

const frame = { format: oneOf(PROOF_FORMAT), line: list(someText, 1) } as const;
/** Hashes of the tree, in base64; `note` is a checkpoint that signs it. */
const tree = object({ size: integer(1), root: someText }, { note: someText });

/** That a receipt is in the tree that a checkpoint signs, at its place. */
const inclusion = object(
  {
    ...frame,
    kind: oneOf("inclusion"),
    seq: integer(1),
    /** As it was signed. */
    receipt: someText,
    proof: list(someText, 0),
    checkpoint: someText,
  },
  {},
);

/** That a later tree has all of an earlier one, unchanged, as its beginning. */
const consistency = object(
  { ...frame, kind: oneOf("consistency"), from: tree, to: tree, proof: list(someText, 0) },
  {},
);

export type InclusionProof = TypeOf<typeof inclusion>;
export type ConsistencyProof = TypeOf<typeof consistency>;
export type LedgerProof = InclusionProof | ConsistencyProof;

/** null: it is none, or of another version, as with a member that this one doesn't have. Checks nothing but the form. */
export function readProof(value: unknown): LedgerProof | null {
  return readAs(inclusion, value) ?? readAs(consistency, value);
}

function readAs<T>(shape: Shape<T>, value: unknown): T | null {
  return shape.check(value, "write") === null ? (value as T) : null;
}
