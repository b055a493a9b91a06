import { type Checkpoint, openCheckpoint } from "../checkpoint/index.ts";
import { equalBytes, fromBase64, keyOfDid, type ReceiptCrypto, utf8Bytes } from "../crypto/index.ts";
import { digestOf } from "../format/index.ts";
import { checkConsistency, checkInclusion, type TreeHead } from "../merkle-check/index.ts";
import { type Fault, type FaultCode, verifyReceipt } from "../verify/index.ts";
import { type FollowedHistory, followKeyHistory } from "./key-history.ts";
import type { ConsistencyProof, InclusionProof, LedgerProof } from "./proof.ts";

type Line = Extract<FollowedHistory, { readonly kind: "line" }>;

export interface CheckedProof {
  /** The first thing wrong; null: it holds. Of a receipt in the key's line the index is its place there. */
  readonly fault: Fault | null;
  /**
   * Those that vouch for it, the first of the ledger first: the one that signed the checkpoint, and those before it, each of which
   * named the next. Whose they are is for others to say. None where no checkpoint signs it.
   */
  readonly keys: readonly Uint8Array[];
  /** Each of them had been committed to before it was named. */
  readonly areCommitted: boolean;
  readonly issuerId: string | null;
  /** Which of the trees a checkpoint signs. Any root that isn't signed is only what somebody wrote down. */
  readonly signed: { readonly from: boolean; readonly to: boolean };
}

/** Needs nothing but the proof itself. */
export async function checkProof(proof: LedgerProof, crypto: ReceiptCrypto): Promise<CheckedProof> {
  const line = await followKeyHistory(proof.line, crypto);
  if (line.kind === "broken")
    return { fault: line.fault, keys: [], areCommitted: false, issuerId: null, signed: NOT_SIGNED };
  const found =
    proof.kind === "inclusion" ? await checkIncluded(proof, line, crypto) : await checkGrown(proof, line, crypto);
  const { signer, ...rest } = found;
  const areCommitted = line.committed.slice(0, signer + 1).every((isCommitted) => isCommitted);
  return { ...rest, keys: line.keys.slice(0, signer + 1), areCommitted, issuerId: line.issuerId };
}

const NOT_SIGNED = { from: false, to: false } as const;
/** Which key of the line signed; -1: none. A key that was only named in a change vouches for nothing. */
type Found = Pick<CheckedProof, "fault" | "signed"> & { readonly signer: number };

async function checkIncluded(claim: InclusionProof, line: Line, crypto: ReceiptCrypto): Promise<Found> {
  const index = claim.seq - 1;
  const fault = (code: FaultCode, detail: string) => ({
    fault: { code, index, detail },
    signed: NOT_SIGNED,
    signer: -1,
  });
  const keys = ({ verificationMethod }: { readonly verificationMethod: string }) => {
    const named = keyOfDid(verificationMethod);
    return line.keys.find((key) => named !== null && equalBytes(key, named)) ?? null;
  };
  const receipt = await verifyReceipt(utf8Bytes(claim.receipt), { crypto, keys, bytes: "canonical" });
  if (!receipt.isValid) {
    const { code, detail } = receipt.fault;
    return fault(code === "UNRESOLVABLE_DID" ? "INVALID_SIGNATURE" : code, detail);
  }
  if (receipt.facts.issuerId !== line.issuerId) return fault("ISSUER_MISMATCH", `issuer ${receipt.facts.issuerId}`);
  const opened = await openByLine(claim.checkpoint, line, crypto);
  if (opened === null) return fault("ANCHOR_MISMATCH", "the checkpoint isn't signed by a key of the ledger");
  const { checkpoint: head, signer } = opened;
  const digest = digestOf(receipt.facts.hash) as Uint8Array;
  const proof = hashesOf(claim.proof);
  if (proof === null || !checkInclusion({ index, digest, head, proof }, crypto)) {
    return fault("ANCHOR_MISMATCH", `nothing proves that it is receipt ${claim.seq} of ${head.size}`);
  }
  return { fault: null, signed: { from: false, to: true }, signer };
}

async function checkGrown(claim: ConsistencyProof, line: Line, crypto: ReceiptCrypto): Promise<Found> {
  const index = claim.from.size;
  const fault = (code: FaultCode, detail: string) => ({
    fault: { code, index, detail },
    signed: NOT_SIGNED,
    signer: -1,
  });
  const [older, newer] = [treeOf(claim.from), treeOf(claim.to)];
  const proof = hashesOf(claim.proof);
  if (older === null || newer === null || proof === null) return fault("FORKED", "a hash in it is none");
  let signer = -1;
  for (const [tree, { note }] of [[older, claim.from] as const, [newer, claim.to] as const]) {
    if (note == null) continue;
    const opened = await openByLine(note, line, crypto);
    const { size, root } = opened?.checkpoint ?? { size: 0, root: tree.root };
    if (opened === null || size !== tree.size || !equalBytes(root, tree.root)) {
      const why = "isn't signed by a key of the ledger, or is of another tree";
      return fault("ANCHOR_MISMATCH", `the checkpoint of ${tree.size} receipts ${why}`);
    }
    signer = Math.max(signer, opened.signer);
  }
  if (!checkConsistency({ older, newer, proof }, crypto)) {
    return fault("FORKED", `the first ${older.size} of ${newer.size} receipts aren't those`);
  }
  return { fault: null, signed: { from: claim.from.note != null, to: claim.to.note != null }, signer };
}

/** A checkpoint of the ledger whose line of keys this is, and which of them signed it; null: another's, or nobody's. */
export async function openByLine(
  note: string,
  { keys, chainId }: Pick<Line, "keys" | "chainId">,
  crypto: ReceiptCrypto,
): Promise<{ readonly checkpoint: Checkpoint; readonly signer: number } | null> {
  for (const [signer, key] of keys.entries()) {
    const opened = await openCheckpoint(note, key, crypto);
    if (opened.kind !== "checkpoint") continue;
    return isOf(opened.checkpoint, chainId) ? { checkpoint: opened.checkpoint, signer } : null;
  }
  return null;
}

/** An origin is the installation, whose root chain is `…:root`, and mostly an epoch of it. */
function isOf({ origin }: Checkpoint, rootChainId: string): boolean {
  const installation = rootChainId.replace(/:root$/, "");
  return origin === installation || origin.startsWith(`${installation}/`);
}

function treeOf({ size, root }: ConsistencyProof["from"]): TreeHead | null {
  const [hash] = hashesOf([root]) ?? [];
  return hash === undefined ? null : { size, root: hash };
}

const HASH_BYTES = 32;
/** A tree of 2^53 leaves is no higher, and a way between two of them is at most so long. */
const MAX_HASHES = 108;

/** null: one of them is none. */
export function hashesOf(texts: readonly string[]): Uint8Array[] | null {
  if (texts.length > MAX_HASHES) return null;
  const hashes = texts.map(fromBase64);
  return hashes.every((hash) => hash?.length === HASH_BYTES) ? (hashes as Uint8Array[]) : null;
}
