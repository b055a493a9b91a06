import { keyOfDid, proveInclusion, publicKeyToPem, type Receipt, TreeFrontier } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { BUNDLE_FORMAT, type Bundle } from "./bundle.ts";
import type { Part } from "./new-file.ts";
import type { Recorded, RecordFile } from "./record-file.ts";
import { unreadable } from "./unreadable.ts";
import type { ReceiptView } from "./view.ts";

const crypto = nodeCrypto();

export interface BundleWish {
  /** Not all of the ledger. */
  readonly selection: boolean;
  isChosen(view: ReceiptView): boolean;
  /** What a report is about. */
  readonly span?: Bundle["span"];
}

/** A bundle piece by piece, so that a long ledger needn't be held. What is small comes first. */
export async function* bundleParts(
  record: RecordFile,
  { selection, isChosen, span }: BundleWish,
): AsyncGenerator<Part> {
  const size = record.lastSeq();
  const checkpoint = record.newestCheckpoint(size);
  const [first] = record.after(0, {}, 1);
  if (first === undefined) throw unreadable(`${record.path} holds no receipts.`);
  const { issuer } = JSON.parse(first.raw) as Receipt;
  const head = {
    format: BUNDLE_FORMAT,
    selection,
    ...(span === undefined ? {} : { span }),
    issuer: issuer.id,
    keys: keysOf(first),
    checkpoints: checkpoint === null ? [] : [checkpoint.note],
    tree: { size, root: Buffer.from(rootOf(record, size)).toString("base64") },
  };
  yield { text: `${JSON.stringify(head).slice(0, -1)},"receipts":[`, receipts: 0 };
  const places: number[] = [];
  let between = "\n";
  for (const recorded of record.after(0, {}, size)) {
    if (!belongs(recorded) && !isChosen(recorded.view)) continue;
    const { seq, raw } = recorded;
    yield { text: `${between}${JSON.stringify({ seq, raw })}`, receipts: 1 };
    between = ",\n";
    if (selection && checkpoint !== null && seq <= checkpoint.size) places.push(seq);
  }
  yield { text: '\n],"inclusion":[', receipts: 0 };
  between = "\n";
  for (const seq of places) {
    const proof = await proveInclusion(
      { index: seq - 1, size: checkpoint?.size ?? 0 },
      (level, index) => record.treeNode(level, index),
      crypto,
    );
    const told = { seq, proof: proof.map((hash) => Buffer.from(hash).toString("base64")) };
    yield { text: `${between}${JSON.stringify(told)}`, receipts: 0 };
    between = ",\n";
  }
  yield { text: "\n]}\n", receipts: 0 };
}

/** The first receipt and each change of the key come along: without them nobody could tell which key was in force. */
function belongs({ seq, raw }: Recorded): boolean {
  return seq === 1 || raw.includes('"keyRotation":');
}

function keysOf({ raw }: Recorded): string[] {
  const key = keyOfDid((JSON.parse(raw) as Receipt).proof.verificationMethod);
  return key === null ? [] : [publicKeyToPem(key)];
}

/** From the roots of the complete subtrees along its right edge, one for each one bit of its size. */
function rootOf(record: RecordFile, size: number): Uint8Array {
  const peaks: Uint8Array[] = [];
  let from = 0;
  for (let width = largestPower(size); width >= 1; width /= 2) {
    if (from + width > size) continue;
    peaks.push(record.treeNode(Math.log2(width), from / width));
    from += width;
  }
  return new TreeFrontier(crypto, { size, peaks }).root();
}

function largestPower(size: number): number {
  let width = 1;
  while (width * 2 <= size) width *= 2;
  return width;
}
