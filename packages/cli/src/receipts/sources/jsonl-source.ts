import { createReadStream, statSync } from "node:fs";
import { lineBatches, type RecordItem } from "@countersign/receipts";
import type { Source } from "./source.ts";
import { unreadable } from "./unreadable.ts";

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

  batches(): AsyncGenerator<readonly RecordItem[]> {
    return lineBatches(this.#chunks());
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
