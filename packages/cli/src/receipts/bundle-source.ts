import { type Bundle, readBundle } from "./bundle.ts";
import { BATCH, type Item, type Source } from "./source.ts";

/** What `export --bundle` wrote. */
export class BundleSource implements Source {
  readonly kind = "bundle";
  readonly path: string;
  readonly bundle: Bundle;
  #read = 0;

  constructor(path: string) {
    this.path = path;
    this.bundle = readBundle(path);
  }

  get what(): string {
    const { selection, tree } = this.bundle;
    return selection ? `a bundle with some of ${tree.size} receipts` : "a bundle";
  }

  get notes(): readonly string[] {
    return this.bundle.checkpoints;
  }

  *batches(): Generator<readonly Item[]> {
    const { receipts } = this.bundle;
    for (; this.#read < receipts.length; this.#read += BATCH) {
      yield receipts.slice(this.#read, this.#read + BATCH).map(({ seq, raw }) => ({ seq, raw: Buffer.from(raw) }));
    }
  }

  fraction(): number {
    return this.bundle.receipts.length === 0 ? 1 : Math.min(1, this.#read / this.bundle.receipts.length);
  }
}
