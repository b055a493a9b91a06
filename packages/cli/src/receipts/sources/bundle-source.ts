import { type Bundle, RECORD_BATCH, type RecordItem } from "@countersign/receipts";
import { readBundleFile } from "./bundle-file.ts";
import type { Source } from "./source.ts";

/** What `export --bundle` wrote. */
export class BundleSource implements Source {
  readonly kind = "bundle";
  readonly path: string;
  readonly bundle: Bundle;
  #read = 0;

  constructor(path: string) {
    this.path = path;
    this.bundle = readBundleFile(path);
  }

  get what(): string {
    const { selection, tree } = this.bundle;
    return selection ? `a bundle with some of ${tree.size} receipts` : "a bundle";
  }

  get notes(): readonly string[] {
    return this.bundle.checkpoints;
  }

  *batches(): Generator<readonly RecordItem[]> {
    const { receipts } = this.bundle;
    for (; this.#read < receipts.length; this.#read += RECORD_BATCH) {
      yield receipts
        .slice(this.#read, this.#read + RECORD_BATCH)
        .map(({ seq, raw }) => ({ seq, raw: Buffer.from(raw) }));
    }
  }

  fraction(): number {
    return this.bundle.receipts.length === 0 ? 1 : Math.min(1, this.#read / this.bundle.receipts.length);
  }
}
