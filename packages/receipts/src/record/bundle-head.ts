import { readCheckpoint } from "../checkpoint/index.ts";
import { equalBytes, fromBase64, publicKeyFromPem, type ReceiptCrypto, toBase64 } from "../crypto/index.ts";
import type { BundleReason, Fault } from "../verify/index.ts";
import type { Bundle } from "./bundle.ts";
import type { Verification } from "./verify-record.ts";
import { isSignedByOne, memoriesOf } from "./witnessed-checkpoints.ts";

/**
 * Compares what a bundle says of itself with what its receipts say. Nothing of it is signed, and readers go by it: who the issuer is, which
 * keys to ask about, how far a checkpoint covers.
 */
export async function checkBundleHead(
  bundle: Bundle,
  found: Verification,
  crypto: ReceiptCrypto,
): Promise<Verification> {
  const fault = found.fault ?? (bundle.selection ? null : treeFault(bundle, found));
  if (fault !== null) return { ...found, fault };
  const lesserFault = await headFault(bundle, found, crypto);
  return { ...found, lesserFault: lesserFault ?? found.lesserFault };
}

/** Of a bundle of all: how many receipts it was made of, and which. */
function treeFault({ tree }: Bundle, found: Verification): Fault | null {
  if (found.count < tree.size)
    return { code: "TRUNCATED", index: found.count, detail: `it was made of ${tree.size} receipts` };
  const isSame = tree.size === found.tree?.size && toBase64(found.tree.root) === tree.root;
  return isSame ? null : { code: "ANCHOR_MISMATCH", index: tree.size, detail: "it was made of other receipts" };
}

async function headFault(bundle: Bundle, found: Verification, crypto: ReceiptCrypto): Promise<Fault | null> {
  const strange = strangeMemberOf(bundle);
  if (strange !== null) return mismatch("UNKNOWN_MEMBER", `${strange} is no member of this format`);
  if (bundle.issuer !== found.issuer) return mismatch("OTHER_ISSUER", `the receipts are issued by ${found.issuer}`);
  return (
    keysFault(bundle, found) ??
    (await checkpointsFault(bundle, found, crypto)) ??
    selectionFault(bundle) ??
    proofsFault(bundle)
  );
}

/** The first member that this format doesn't have, as a path. A reader of another version would take it for something. */
function strangeMemberOf({ ...bundle }: Bundle): string | null {
  const { format, selection, span, issuer, keys, checkpoints, tree, receipts, inclusion, ...rest } = bundle;
  const { size, root, ...restOfTree } = tree;
  const { fromMs, toMs, ...restOfSpan } = span ?? { fromMs: 0, toMs: 0 };
  return (
    firstKeyOf(rest, "") ??
    firstKeyOf(restOfTree, "tree.") ??
    firstKeyOf(restOfSpan, "span.") ??
    strangeIn(receipts, "receipts", new Set(["seq", "raw"])) ??
    strangeIn(inclusion, "inclusion", new Set(["seq", "proof"]))
  );
}

function firstKeyOf(rest: object, path: string): string | null {
  const [name] = Object.keys(rest);
  return name === undefined ? null : path + name;
}

function strangeIn(list: readonly object[], path: string, known: ReadonlySet<string>): string | null {
  for (const [index, each] of list.entries()) {
    for (const name of Object.keys(each)) if (!known.has(name)) return `${path}[${index}].${name}`;
  }
  return null;
}

/** The first key is always among them, and none that signed nothing. */
function keysFault({ keys }: Bundle, { signers }: Verification): Fault | null {
  const [first] = signers.keys;
  const given = keys.map(publicKeyFromPem);
  const isSigner = (key: Uint8Array | null) => key !== null && signers.keys.some((signer) => equalBytes(signer, key));
  const isRight = first !== undefined && given.some((key) => key !== null && equalBytes(key, first));
  return isRight && given.every(isSigner)
    ? null
    : mismatch("OTHER_KEYS", "its keys aren't those that signed the receipts");
}

async function checkpointsFault(bundle: Bundle, found: Verification, crypto: ReceiptCrypto): Promise<Fault | null> {
  const memories = memoriesOf(bundle.checkpoints) ?? [];
  const newest = memories.reduce((most, { claim }) => Math.max(most, claim.size), 0);
  if (newest < found.carriedSize)
    return mismatch("NO_CHECKPOINT", `its receipts carry a checkpoint of ${found.carriedSize}, and it has none so new`);
  for (const memory of memories) {
    if (!(await isSignedByOne(memory, found.signers.ledgerKeys, crypto)))
      return mismatch("OTHER_CHECKPOINT", `its checkpoint of ${memory.claim.size} isn't signed by a key of the ledger`);
  }
  return null;
}

const HASH_BYTES = 32;

/** Of a selection: its tree can't be made of its receipts, but it can't be less than what is in it, either. */
function selectionFault({ selection, tree, checkpoints, receipts }: Bundle): Fault | null {
  if (!selection) return null;
  const wrong = (detail: string) => mismatch("OTHER_TREE", detail);
  if (!Number.isSafeInteger(tree.size) || fromBase64(tree.root)?.length !== HASH_BYTES)
    return wrong("its tree is none");
  if ((receipts.at(-1)?.seq ?? 0) > tree.size)
    return wrong(`its tree has ${tree.size} receipts, and it holds a later one`);
  for (const claim of checkpoints.map(readCheckpoint)) {
    if (claim === null || claim.size < tree.size) continue;
    const isSame = claim.size === tree.size && toBase64(claim.root) === tree.root;
    if (!isSame) return wrong(`its tree of ${tree.size} isn't that of its checkpoint`);
  }
  return null;
}

/** Each proof is of a receipt that is in it, once, and of a checkpoint that covers that. */
function proofsFault({ selection, receipts, inclusion, checkpoints }: Bundle): Fault | null {
  const newest = checkpoints.reduce((most, note) => Math.max(most, readCheckpoint(note)?.size ?? 0), 0);
  const covered = selection ? receipts.filter(({ seq }) => seq <= newest) : [];
  const unproved = new Set(covered.map(({ seq }) => seq));
  for (const { seq } of inclusion) {
    if (!unproved.delete(seq))
      return mismatch("STRAY_PROOF", `it has a proof of receipt ${seq}, and no receipt for it`);
  }
  return null;
}

function mismatch(reason: BundleReason, detail: string): Fault {
  return { code: "BUNDLE_MISMATCH", index: 0, reason, detail };
}
