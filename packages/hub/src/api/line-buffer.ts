const NOTHING = Buffer.alloc(0);

/** Splits bytes into lines. Takes linear time however small the pieces are. */
export class LineBuffer {
  #bytes: Buffer = NOTHING;
  #start = 0;
  #end = 0;
  /** There is no line end before this position. */
  #searched = 0;

  /** Number of bytes that weren't taken yet. */
  get size(): number {
    return this.#end - this.#start;
  }

  push(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#bytes.length) this.#grow(chunk.length);
    chunk.copy(this.#bytes, this.#end);
    this.#end += chunk.length;
  }

  /** Whether the next bytes are these. */
  startsWith(bytes: Buffer): boolean {
    return this.#bytes.subarray(this.#start, Math.min(this.#end, this.#start + bytes.length)).equals(bytes);
  }

  /** Returns the oldest complete line without its end. Undefined if there is none. */
  take(): Buffer | undefined {
    const at = this.#bytes.subarray(0, this.#end).indexOf(0x0a, this.#searched);
    if (at < 0) {
      this.#searched = this.#end;
      return undefined;
    }
    const line = this.#bytes.subarray(this.#start, at);
    this.#start = at + 1;
    this.#searched = this.#start;
    if (this.size === 0) this.#moveTo(NOTHING);
    return line;
  }

  #grow(bytes: number): void {
    const larger = Buffer.alloc(Math.max(this.size + bytes, 2 * this.size));
    this.#bytes.copy(larger, 0, this.#start, this.#end);
    this.#moveTo(larger);
  }

  /** Always copies to other memory, because lines that were taken are views of the old one. */
  #moveTo(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#searched -= this.#start;
    this.#end -= this.#start;
    this.#start = 0;
  }
}
