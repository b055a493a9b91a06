import type { RecordItem } from "@countersign/receipts";
import type { NearReceipt } from "./messages.ts";

/** More than are ever read ahead of what is judged. */
const KEPT = 8_192;
/** Of one receipt: more than any of ours has. */
const SHOWN_BYTES = 64 * 1024;

/** The receipts last read, so that those around a fault can be shown. */
export class NearReceipts {
  readonly #kept: (RecordItem | undefined)[] = [];
  #read = 0;

  async *watch(
    batches: AsyncIterable<readonly RecordItem[]> | Iterable<readonly RecordItem[]>,
  ): AsyncGenerator<readonly RecordItem[]> {
    for await (const batch of batches) {
      for (const item of batch) {
        this.#kept[this.#read % KEPT] = item;
        this.#read += 1;
      }
      yield batch;
    }
  }

  /** The one before it, itself and the one after, as far as there are such. */
  around(index: number): NearReceipt[] {
    return [index - 1, index, index + 1].flatMap((at) => {
      const item = at < 0 || at >= this.#read || at < this.#read - KEPT ? undefined : this.#kept[at % KEPT];
      return item === undefined ? [] : [{ index: at, text: utf8.decode(item.raw.subarray(0, SHOWN_BYTES)) }];
    });
  }
}

const utf8 = new TextDecoder();
