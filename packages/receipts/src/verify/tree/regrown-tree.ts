import type { Digest } from "../../receipt/hash.ts";
import { hashOfLeaf, hashOfPair, roomForPair } from "./tree-hash.ts";

/**
 * The tree over the receipts that were read so far, made anew from their hashes alone: two subtrees of the same height become one, so that at
 * most one of each height is held.
 */
export class RegrownTree {
  readonly #crypto: Digest;
  readonly #room = roomForPair();
  /** By their height: 2^height receipts, or none of that height. */
  readonly #subtrees: (Uint8Array | undefined)[] = [];
  #size = 0;

  constructor(crypto: Digest) {
    this.#crypto = crypto;
  }

  get size(): number {
    return this.#size;
  }

  add(receiptDigest: Uint8Array): void {
    let grown = hashOfLeaf(receiptDigest, this.#crypto);
    let height = 0;
    for (let left = this.#subtrees[height]; left !== undefined; left = this.#subtrees[height]) {
      grown = hashOfPair(left, grown, this.#crypto, this.#room);
      this.#subtrees[height] = undefined;
      height += 1;
    }
    this.#subtrees[height] = grown;
    this.#size += 1;
  }

  /** Lower subtrees are to the right of higher ones. */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    for (const left of this.#subtrees) {
      if (left === undefined) continue;
      root = root === undefined ? left : hashOfPair(left, root, this.#crypto, this.#room);
    }
    return root ?? this.#crypto.sha256(new Uint8Array(0));
  }
}
