const NOTHING = Buffer.alloc(0);

/**
 * Keeps the head and the tail of a text in bounded memory, because errors stand at the end: half of the limit each, with
 * the number of bytes between them told. It is given whole characters, and never tells half of one. Chunks are copied,
 * not kept: a command that writes byte by byte would otherwise cost hundreds of bytes for each.
 */
export class CappedOutput {
  readonly #half: number;
  #head = NOTHING;
  #headBytes = 0;
  /** A ring, made when the head is full; what follows the head goes round in it. */
  #tail = NOTHING;
  #tailBytes = 0;

  constructor(maxBytes: number) {
    this.#half = Math.floor(maxBytes / 2);
  }

  get truncated(): boolean {
    return this.#tailBytes > this.#half;
  }

  /** Bytes that came, whether or not they are still there. */
  get total(): number {
    return this.#headBytes + this.#tailBytes;
  }

  /** Bytes of memory. */
  get size(): number {
    return this.#head.length + this.#tail.length;
  }

  push(chunk: Buffer): void {
    const taken = chunk.subarray(0, this.#half - this.#headBytes);
    this.#head = grown(this.#head, this.#headBytes + taken.length, this.#half);
    this.#headBytes += taken.copy(this.#head, this.#headBytes);
    if (taken.length < chunk.length) this.#pushTail(chunk.subarray(taken.length));
  }

  /**
   * What is still there of the bytes from `from` to `to`: as far as it is without a gap, in whole characters, at most
   * `maxBytes`. It begins `at`, which is past `from` when that much was dropped, and goes on at `end`.
   */
  read(from: number, to: number, maxBytes = Number.POSITIVE_INFINITY): Piece {
    const inHead = from < this.#headBytes;
    const start = inHead ? from : Math.max(from, this.#tailStart);
    const stop = Math.min(to, this.total, start + maxBytes, inHead && this.truncated ? this.#headBytes : this.total);
    const bytes = start < stop ? this.#copy(start, stop) : NOTHING;
    const skipped = startOfCharacter(bytes);
    const kept = bytes.subarray(skipped, stop === this.total ? bytes.length : endOfCharacters(bytes));
    if (kept.length > 0) {
      const at = start + skipped;
      return { at, end: at + kept.length, text: kept.toString("utf8") };
    }
    // Nothing of it is left: what was dropped with it needn't be asked for either.
    const rest = Math.max(start, Math.min(to, this.total));
    return inHead && this.#headBytes < rest
      ? this.read(this.#headBytes, to, maxBytes)
      : { at: rest, end: rest, text: "" };
  }

  toText(): string {
    const head = this.read(0, this.truncated ? this.#headBytes : this.total);
    if (!this.truncated) return head.text;
    const tail = this.read(this.#headBytes, this.total);
    return `${head.text}\n[… ${tail.at - Buffer.byteLength(head.text)} bytes left out …]\n${tail.text}`;
  }

  /** The first byte after the head that is still there. */
  get #tailStart(): number {
    return this.truncated ? this.total - this.#half : this.#headBytes;
  }

  #copy(start: number, stop: number): Buffer {
    const head = this.#head.subarray(start, Math.min(stop, this.#headBytes));
    if (stop <= this.#headBytes) return Buffer.from(head);
    const first = Math.max(start, this.#headBytes) - this.#headBytes;
    const length = stop - this.#headBytes - first;
    const at = first % this.#half;
    const straight = this.#tail.subarray(at, Math.min(at + length, this.#half));
    return Buffer.concat([head, straight, this.#tail.subarray(0, length - straight.length)]);
  }

  #pushTail(chunk: Buffer): void {
    this.#tail = grown(this.#tail, this.#tailBytes + chunk.length, this.#half);
    const kept = chunk.subarray(Math.max(chunk.length - this.#half, 0));
    const at = (this.#tailBytes + chunk.length - kept.length) % this.#half;
    const written = kept.copy(this.#tail, at, 0, this.#half - at);
    if (written < kept.length) kept.copy(this.#tail, 0, written);
    this.#tailBytes += chunk.length;
  }
}
interface Piece {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

const SMALLEST = 1024;

function grown(buffer: Buffer<ArrayBuffer>, needed: number, most: number): Buffer<ArrayBuffer> {
  if (needed <= buffer.length || buffer.length === most) return buffer;
  const larger = Buffer.alloc(Math.min(Math.max(needed, buffer.length * 2, SMALLEST), most));
  buffer.copy(larger);
  return larger;
}

/** UTF-8: bytes 10xxxxxx go on with a character that began before (RFC 3629, 3). */
function startOfCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}

/** Where the last whole character ends. */
function endOfCharacters(bytes: Buffer): number {
  let last = bytes.length - 1;
  while (last > 0 && ((bytes[last] ?? 0) & 0xc0) === 0x80) last -= 1;
  const first = bytes[last] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return last + length <= bytes.length ? bytes.length : last;
}
