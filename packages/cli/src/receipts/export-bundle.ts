import {
  type BundleWish,
  bundleParts,
  type ExportedPart,
  type PlacedReceipt,
  type ReceiptLine,
} from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { type Recorded, type RecordFile, unreadable } from "./sources/index.ts";

interface Wish extends BundleWish {
  isChosen(view: ReceiptLine): boolean;
}

export function recordParts(record: RecordFile, { isChosen, ...wish }: Wish): AsyncGenerator<ExportedPart> {
  const size = record.lastSeq();
  const [first] = record.after(0, {}, 1);
  if (first === undefined) throw unreadable(`${record.path} holds no receipts.`);
  const source = {
    size,
    first,
    checkpoint: record.newestCheckpoint(size),
    chosen: chosen(record, size, isChosen),
    treeNode: (level: number, index: number) => record.treeNode(level, index),
  };
  return bundleParts(source, wish, nodeCrypto());
}

function* chosen(record: RecordFile, size: number, isChosen: Wish["isChosen"]): Generator<PlacedReceipt> {
  for (const recorded of record.after(0, {}, size)) if (belongs(recorded) || isChosen(recorded.view)) yield recorded;
}

/** Comes along, whatever was asked for. */
function belongs({ seq, raw }: Recorded): boolean {
  return seq === 1 || raw.includes('"keyRotation":');
}
