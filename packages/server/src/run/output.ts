/**
 * Keeps the head and the tail of a stream in bounded memory, because errors stand at the end: half of the limit each,
 * with the number of bytes between them told.
 */
export class CappedOutput {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #omitted = 0;

  constructor(maxBytes: number) {
    this.#half = Math.floor(maxBytes / 2);
  }

  get truncated(): boolean {
    return this.#omitted > 0;
  }

  push(chunk: Buffer): void {
    const room = this.#half - this.#headBytes;
    if (room > 0) {
      const taken = chunk.subarray(0, room);
      this.#head.push(taken);
      this.#headBytes += taken.length;
    }
    if (chunk.length > room) this.#pushTail(chunk.subarray(Math.max(room, 0)));
  }

  toText(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (!this.truncated) return Buffer.concat([head, tail]).toString("utf8");
    const cutHead = endAtBreak(head);
    const cutTail = startAtBreak(tail);
    const omitted = this.#omitted + (head.length - cutHead.length) + (tail.length - cutTail.length);
    return `${cutHead.toString("utf8")}\n[… ${omitted} bytes left out …]\n${cutTail.toString("utf8")}`;
  }

  #pushTail(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    while (this.#tailBytes > this.#half) {
      const first = this.#tail[0] as Buffer;
      const excess = Math.min(this.#tailBytes - this.#half, first.length);
      if (excess === first.length) this.#tail.shift();
      else this.#tail[0] = first.subarray(excess);
      this.#tailBytes -= excess;
      this.#omitted += excess;
    }
  }
}

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
  for (let start = 0; start < Math.min(tail.length, NEAR); start += 1) {
    if (isBreak(tail[start])) return tail.subarray(start + 1);
  }
  return tail.subarray(Math.min(tail.length, NEAR));
}

function isBreak(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d;
}
