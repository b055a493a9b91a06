import { createReadStream, statSync } from "node:fs";
import { MAX_RECEIPT_BYTES } from "@countersign/receipts";
import { BATCH, type Item, type Source } from "./source.ts";
import { unreadable } from "./unreadable.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** A receipt a line. */
export class JsonlSource implements Source {
  readonly kind = "jsonl";
  readonly what = "a receipt a line";
  readonly path: string;
  readonly notes: readonly string[] = [];
  readonly #size: number;
  #read = 0;

  constructor(path: string) {
    this.path = path;
    this.#size = statSync(path).size;
  }

  async *batches(): AsyncGenerator<readonly Item[]> {
    let batch: Item[] = [];
    for await (const raw of this.#lines()) {
      batch.push({ raw });
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  /** Of a line that is longer than any receipt only as much is kept as it takes to call it that. */
  async *#lines(): AsyncGenerator<Uint8Array> {
    let begun: Buffer[] = [];
    let bytes = 0;
    const keep = (part: Buffer) => {
      if (bytes <= MAX_RECEIPT_BYTES) begun.push(part.subarray(0, MAX_RECEIPT_BYTES + 2 - bytes));
      bytes += part.length;
    };
    for await (const chunk of this.#chunks()) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at));
        yield withoutReturn(Buffer.concat(begun));
        [begun, bytes, from] = [[], 0, at + 1];
      }
      keep(chunk.subarray(from));
    }
    if (bytes > 0) yield withoutReturn(Buffer.concat(begun));
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of createReadStream(this.path) as AsyncIterable<Buffer>) {
        this.#read += chunk.length;
        yield chunk;
      }
    } catch (cause) {
      throw unreadable(`${this.path} can't be read (${(cause as Error).message}).`, cause);
    }
  }

  fraction(): number {
    return this.#size === 0 ? 1 : Math.min(1, this.#read / this.#size);
  }
}

/** The end of a line as some systems write it belongs to the line, not to the receipt. */
function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}
