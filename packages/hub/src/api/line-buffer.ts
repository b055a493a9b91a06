const NOTHING = Buffer.alloc(0);

/** Bytes as they come in, lines as they go out. Linear in what comes, however small the pieces are. */
export class LineBuffer {
  #bytes: Buffer = NOTHING;
  #start = 0;
  #end = 0;
  /** There's no line end before it. */
  #searched = 0;

  /** Bytes that weren't taken yet. */
  get size(): number {
    return this.#end - this.#start;
  }

  push(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length);
    chunk.copy(this.#bytes, this.#end);
    this.#end += chunk.length;
  }

  /** Whether what comes next begins so. */
  startsWith(bytes: Buffer): boolean {
    return this.#bytes.subarray(this.#start, Math.min(this.#end, this.#start + bytes.length)).equals(bytes);
  }

  /** The oldest whole line without its end; undefined when there's none. */
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

  #makeRoom(bytes: number): void {
    const roomy = Buffer.alloc(Math.max(this.size + bytes, 2 * this.size));
    this.#bytes.copy(roomy, 0, this.#start, this.#end);
    this.#moveTo(roomy);
  }

  /** Always into other memory: lines that were taken are views of the old one. */
  #moveTo(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#searched -= this.#start;
    this.#end -= this.#start;
    this.#start = 0;
  }
}
