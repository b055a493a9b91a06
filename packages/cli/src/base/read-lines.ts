const NEWLINE = 0x0a;

export type BoundedLine =
  | { readonly kind: "whole"; readonly bytes: Buffer }
  /** It went on past the limit; what it said was dropped as it came. */
  | { readonly kind: "too-long" };

/**
 * Lines of a stream without their ends, as many at a time as came together. None takes more memory than `maxBytes`; the
 * last one needs no end.
 */
export async function* readLines(input: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<BoundedLine[]> {
  const open = new OpenLine(maxBytes);
  for await (const chunk of input) {
    const lines: BoundedLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      open.add(chunk.subarray(from, at));
      lines.push(open.end());
      from = at + 1;
    }
    open.add(chunk.subarray(from));
    yield lines;
  }
  if (open.length > 0) yield [open.end()];
}

/** The line whose end hasn't come yet. */
class OpenLine {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > this.#maxBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  end(): BoundedLine {
    const tooLong = this.length > this.#maxBytes;
    const bytes = tooLong ? undefined : Buffer.concat(this.#pieces, this.length);
    this.#pieces = [];
    this.length = 0;
    return bytes ? { kind: "whole", bytes } : { kind: "too-long" };
  }
}
