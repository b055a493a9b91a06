import type { Digest } from "../format/index.ts";
import { emptyRoot, joinNodes } from "./node-hash.ts";

/** A complete subtree: 2^level leaves from leaf index × 2^level on. Once complete it never changes. */
export interface TreeNode {
  readonly level: number;
  readonly index: number;
  readonly hash: Uint8Array;
}

/** Where the leaves are more than a double counts exactly, no proof could be made: nobody gets near it. */
const MAX_SIZE = Number.MAX_SAFE_INTEGER;

/**
 * The right edge of an RFC 6962 tree, all that is needed to append to it and to know its root: one hash for each one bit
 * of its size, so that a million leaves take twenty.
 */
export class TreeFrontier {
  readonly #crypto: Digest;
  /** Roots of the complete subtrees, from the left: the largest first. */
  readonly #peaks: Uint8Array[];
  #size: number;

  constructor(crypto: Digest, from: { readonly size: number; readonly peaks: readonly Uint8Array[] } = EMPTY) {
    if (from.peaks.length !== onesIn(from.size))
      throw new RangeError(`${from.size} leaves have another number of peaks`);
    this.#crypto = crypto;
    this.#peaks = [...from.peaks];
    this.#size = from.size;
  }

  get size(): number {
    return this.#size;
  }

  /** To go on from later; see the constructor. */
  get peaks(): readonly Uint8Array[] {
    return [...this.#peaks];
  }

  /** Returns the nodes that this leaf has completed, itself first: what a store keeps so that proofs can be made. */
  append(leaf: Uint8Array): readonly TreeNode[] {
    if (this.#size >= MAX_SIZE) throw new RangeError("the tree is full");
    let node: TreeNode = { level: 0, index: this.#size, hash: leaf };
    const completed = [node];
    while (node.index % 2 === 1) {
      const left = this.#peaks.pop() as Uint8Array;
      node = { level: node.level + 1, index: (node.index - 1) / 2, hash: joinNodes(left, node.hash, this.#crypto) };
      completed.push(node);
    }
    this.#peaks.push(node.hash);
    this.#size += 1;
    return completed;
  }

  root(): Uint8Array {
    if (this.#peaks.length === 0) return emptyRoot(this.#crypto);
    return this.#peaks.reduceRight((right, left) => joinNodes(left, right, this.#crypto));
  }
}

const EMPTY = { size: 0, peaks: [] } as const;

function onesIn(size: number): number {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`${size} is no number of leaves`);
  return size.toString(2).replaceAll("0", "").length;
}
