import { keyOfDid, publicKeyToPem, type ReceiptCrypto, toBase64 } from "../crypto/index.ts";
import type { Receipt } from "../format/index.ts";
import { type NodeReader, proveInclusion, TreeFrontier } from "../merkle/index.ts";
import { BUNDLE_FORMAT, type Bundle } from "./bundle.ts";

/** A receipt as it was signed, at its place in the ledger. */
export interface PlacedReceipt {
  readonly seq: number;
  readonly raw: string;
}

/** Where a bundle is made from. */
export interface BundleSource {
  /** How many receipts the ledger has now; at least one. What comes later isn't in it. */
  readonly size: number;
  readonly first: PlacedReceipt;
  /** The newest that covers no more than `size`. */
  readonly checkpoint: { readonly size: number; readonly note: string } | null;
  /**
   * In their order, up to `size`. The first receipt of all and each change of the key must be among them: without them nobody could
   * tell which key was in force.
   */
  readonly chosen: Iterable<PlacedReceipt> | AsyncIterable<PlacedReceipt>;
  readonly treeNode: NodeReader;
}

export interface BundleWish {
  /** Not all of the ledger. */
  readonly selection: boolean;
  /** What a report is about. */
  readonly span?: Bundle["span"];
}

/** A piece of a file, and how many receipts it holds. */
export interface ExportedPart {
  readonly text: string;
  readonly receipts: number;
}

/** A bundle piece by piece, so that a long ledger needn't be held. What is small comes first. */
export async function* bundleParts(
  source: BundleSource,
  { selection, span }: BundleWish,
  crypto: ReceiptCrypto,
): AsyncGenerator<ExportedPart> {
  const { size, first, checkpoint, treeNode } = source;
  const { issuer, proof } = JSON.parse(first.raw) as Receipt;
  const key = keyOfDid(proof.verificationMethod);
  const head = {
    format: BUNDLE_FORMAT,
    selection,
    ...(span === undefined ? {} : { span }),
    issuer: issuer.id,
    keys: key === null ? [] : [publicKeyToPem(key)],
    checkpoints: checkpoint === null ? [] : [checkpoint.note],
    tree: { size, root: toBase64(await rootOf(source, crypto)) },
  };
  yield { text: `${JSON.stringify(head).slice(0, -1)},"receipts":[`, receipts: 0 };
  const places: number[] = [];
  let between = "\n";
  for await (const { seq, raw } of source.chosen) {
    yield { text: `${between}${JSON.stringify({ seq, raw })}`, receipts: 1 };
    between = ",\n";
    if (selection && checkpoint !== null && seq <= checkpoint.size) places.push(seq);
  }
  yield { text: '\n],"inclusion":[', receipts: 0 };
  between = "\n";
  for (const seq of places) {
    const hashes = await proveInclusion({ index: seq - 1, size: checkpoint?.size ?? 0 }, treeNode, crypto);
    yield { text: `${between}${JSON.stringify({ seq, proof: hashes.map(toBase64) })}`, receipts: 0 };
    between = ",\n";
  }
  yield { text: "\n]}\n", receipts: 0 };
}

/** From the roots of the complete subtrees along its right edge, one for each one bit of its size. */
async function rootOf({ size, treeNode }: BundleSource, crypto: ReceiptCrypto): Promise<Uint8Array> {
  const peaks: Uint8Array[] = [];
  let from = 0;
  for (let level = Math.floor(Math.log2(size)); level >= 0; level -= 1) {
    const width = 2 ** level;
    if (from + width > size) continue;
    peaks.push(await treeNode(level, from / width));
    from += width;
  }
  return new TreeFrontier(crypto, { size, peaks }).root();
}
