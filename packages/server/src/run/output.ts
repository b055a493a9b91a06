/**
 * Keeps the head and the tail of a stream in bounded memory, because errors stand at the end: half of the limit each,
 * with the number of bytes between them told. Chunks are copied, not kept: a command that writes byte by byte would
 * otherwise cost hundreds of bytes for each.
 */
export class CappedOutput {
  readonly #half: number;
  #head = Buffer.alloc(0);
  #headBytes = 0;
  /** A ring, made when the head is full; what follows the head goes round in it. */
  #tail: Buffer | undefined;
  #tailBytes = 0;

  constructor(maxBytes: number) {
    this.#half = Math.floor(maxBytes / 2);
  }

  get truncated(): boolean {
    return this.#tailBytes > this.#half;
  }

  push(chunk: Buffer): void {
    const taken = chunk.subarray(0, this.#half - this.#headBytes);
    this.#pushHead(taken);
    if (taken.length < chunk.length) this.#pushTail(chunk.subarray(taken.length));
  }

  toText(): string {
    const head = this.#head.subarray(0, this.#headBytes);
    const tail = this.#tailInOrder();
    if (!this.truncated) return Buffer.concat([head, tail]).toString("utf8");
    const cutHead = endAtBreak(head);
    const cutTail = startAtBreak(tail);
    const omitted = this.#headBytes + this.#tailBytes - cutHead.length - cutTail.length;
    return `${cutHead.toString("utf8")}\n[… ${omitted} bytes left out …]\n${cutTail.toString("utf8")}`;
  }

  #pushHead(chunk: Buffer): void {
    const needed = this.#headBytes + chunk.length;
    if (needed > this.#head.length) {
      const grown = Buffer.alloc(Math.min(Math.max(needed, this.#head.length * 2, SMALLEST), this.#half));
      this.#head.copy(grown);
      this.#head = grown;
    }
    chunk.copy(this.#head, this.#headBytes);
    this.#headBytes = needed;
  }

  #pushTail(chunk: Buffer): void {
    this.#tail ??= Buffer.alloc(this.#half);
    const kept = chunk.subarray(Math.max(chunk.length - this.#half, 0));
    const at = (this.#tailBytes + chunk.length - kept.length) % this.#half;
    const written = kept.copy(this.#tail, at);
    if (written < kept.length) kept.copy(this.#tail, 0, written);
    this.#tailBytes += chunk.length;
  }

  #tailInOrder(): Buffer {
    if (!this.#tail) return Buffer.alloc(0);
    if (!this.truncated) return this.#tail.subarray(0, this.#tailBytes);
    const oldest = this.#tailBytes % this.#half;
    return Buffer.concat([this.#tail.subarray(oldest), this.#tail.subarray(0, oldest)]);
  }
}

const SMALLEST = 1024;

/**
 * A cut inside a word could leave half of a secret, which the filter no longer recognises, or half of a character. So
 * both sides are cut back to white space, as far as one is near.
 */
const NEAR = 4096;

function endAtBreak(head: Buffer): Buffer {
  for (let end = head.length; end > Math.max(head.length - NEAR, 0); end -= 1) {
    if (isBreak(head[end - 1])) return head.subarray(0, end);
  }
  return head.subarray(0, Math.max(head.length - NEAR, 0));
}

function startAtBreak(tail: Buffer): Buffer {
  let start = 0;
  let dropped = "";
  while (start < tail.length && mayEndInScheme(dropped)) {
    const end = nextBreak(tail, start);
    dropped = tail.subarray(start, end).toString("latin1");
    start = end + 1;
  }
  return tail.subarray(start);
}

/** `Bearer` and its token are two words: when the first may have been cut away, the second must go too. */
function mayEndInScheme(word: string): boolean {
  const lower = word.toLowerCase();
  return lower.endsWith("bearer") || (lower.length < "bearer".length && "bearer".endsWith(lower));
}

function nextBreak(tail: Buffer, from: number): number {
  const end = Math.min(tail.length, from + NEAR);
  for (let at = from; at < end; at += 1) if (isBreak(tail[at])) return at;
  return end - 1;
}

function isBreak(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d;
}
