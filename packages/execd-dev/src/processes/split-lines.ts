/**
 * Output in the pieces that execd sends: lines without their ends. `\n` and `\r` both end one, `\r\n` is one end, an empty line is told as `\n`. Bytes that are no UTF-8
 * become U+FFFD.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #tell: (text: string) => void;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #wasCarriageReturn = false;

  constructor(maxLineBytes: number, tell: (text: string) => void) {
    this.#maxLineBytes = maxLineBytes;
    this.#tell = tell;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte !== 0x0a && byte !== 0x0d) {
        this.#wasCarriageReturn = false;
        continue;
      }
      this.#keep(chunk.subarray(from, at));
      from = at + 1;
      if (this.#restBytes > 0) this.flush();
      else if (byte !== 0x0a || !this.#wasCarriageReturn) this.#tell("\n");
      this.#wasCarriageReturn = byte === 0x0d;
    }
    this.#keep(chunk.subarray(from));
    if (this.#restBytes > this.#maxLineBytes) this.flush();
  }

  /** What has no end yet. */
  flush(): void {
    if (this.#restBytes === 0) return;
    const text = Buffer.concat(this.#rest).toString("utf8");
    this.#rest = [];
    this.#restBytes = 0;
    this.#tell(text);
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#rest.push(piece);
    this.#restBytes += piece.length;
  }
}
