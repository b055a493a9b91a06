import { concatBytes } from "../crypto/index.ts";
import { MAX_RECEIPT_BYTES } from "../format/index.ts";
import { RECORD_BATCH, type RecordItem } from "./source.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** A receipt a line. */
export async function* lineBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly RecordItem[]> {
  let batch: RecordItem[] = [];
  for await (const raw of linesOf(chunks)) {
    batch.push({ raw });
    if (batch.length < RECORD_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Of a line that is longer than any receipt only as much is kept as it takes to call it that. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = [];
  let bytes = 0;
  const keep = (part: Uint8Array) => {
    if (bytes <= MAX_RECEIPT_BYTES) begun.push(part.subarray(0, MAX_RECEIPT_BYTES + 2 - bytes));
    bytes += part.length;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at));
      yield withoutReturn(concatBytes(...begun));
      [begun, bytes, from] = [[], 0, at + 1];
    }
    keep(chunk.subarray(from));
  }
  if (bytes > 0) yield withoutReturn(concatBytes(...begun));
}

/** The end of a line as some systems write it belongs to the line, not to the receipt. */
function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}
