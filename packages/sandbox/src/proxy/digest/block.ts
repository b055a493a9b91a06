/** So much goes to the thread at once. With less, handing it over begins to cost; with more, an end would wait longer for what isn't its own. */
export const BLOCK_BYTES = 1024 * 1024;
/** And so many pieces at most: bodies that bring few bytes at a time don't fill a block. */
export const MOST_PIECES = 1024;

/** So many of the block's next bytes are this body's. */
export interface Piece {
  readonly id: number;
  readonly length: number;
  /** Nothing of it follows. */
  readonly isLast: boolean;
}

/** Bodies' bytes behind each other. The memory is handed over, and comes back. */
export interface FilledBlock {
  readonly memory: ArrayBuffer;
  readonly pieces: readonly Piece[];
}

export interface HashedBlock {
  readonly memory: ArrayBuffer;
  /** Of the bodies that ended in it: in hex. */
  readonly ended: readonly (readonly [id: number, hash: string])[];
}
