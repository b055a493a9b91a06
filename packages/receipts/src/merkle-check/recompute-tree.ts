import type { Digest } from "../format/index.ts";
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

  /** Returns the nodes that this leaf completes, by their height. */
  add(receiptDigest: Uint8Array): readonly Uint8Array[] {
    let grown = hashOfLeaf(receiptDigest, this.#crypto);
    let height = 0;
    const completed = [grown];
    for (let left = this.#subtrees[height]; left !== undefined; left = this.#subtrees[height]) {
      grown = hashOfPair(left, grown, this.#crypto, this.#room);
      this.#subtrees[height] = undefined;
      completed.push(grown);
      height += 1;
    }
    this.#subtrees[height] = grown;
    this.#size += 1;
    return completed;
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
