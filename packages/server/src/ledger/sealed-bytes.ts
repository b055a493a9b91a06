/** Receipts as they are stored, one after the other. */
export interface SealedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of each. */
  readonly lengths: readonly number[];
}

export function textsIn({ bytes, lengths }: SealedBytes): readonly string[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let from = 0;
  return lengths.map((length) => {
    from += length;
    return all.toString("utf8", from - length, from);
  });
}

/** One piece: a hundred buffers cost more to hand over than one that holds them all. */
export function inOnePiece(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = bytesFor(pieces.map(({ length }) => length));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Not filled with zeros: whoever asks writes all of them. Of its own, so that it can be handed over. */
export function bytesFor(lengths: readonly number[]): Uint8Array<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(lengths.reduce((sum, length) => sum + length, 0));
}
