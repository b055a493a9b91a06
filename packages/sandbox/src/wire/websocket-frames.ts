/** What is told of each message as its bytes pass. Control frames aren't messages. */
export interface MessageSink {
  /** Text or binary. Compressed: the bytes are some extension's, which we can't read. */
  begin(kind: "text" | "binary", isCompressed: boolean): void;
  data(bytes: Buffer): void;
  end(): void;
  /** No frame that this side may send: the other one closes at it. Nothing that comes after it is read. */
  broken(): void;
}

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
/** Close, ping and pong: whole, and short. */
const CONTROLS = [8, 9, 10];
const LONGEST_CONTROL = 125;
/** Bits that only an extension sets. */
const RESERVED = 0x70;
/** A head has 2 bytes, up to 8 of length and 4 of mask. */
const LONGEST_HEAD = 14;

/** Reads one direction of a WebSocket (RFC 6455, section 5.2) as it passes; of it, no more than a head is held. */
export class WebSocketReader {
  readonly #sink: MessageSink;
  readonly #mustMask: boolean;
  #head: Buffer = Buffer.alloc(0);
  #mask: Buffer | null = null;
  #maskAt = 0;
  #left = 0;
  #inFrame = false;
  #isMessage = false;
  #isLast = false;
  /** A message has begun, and more of it has to come. */
  #isOpen = false;
  #isBroken = false;

  /** A client has to mask what it sends. */
  constructor(sink: MessageSink, { mustMask }: { readonly mustMask: boolean }) {
    this.#sink = sink;
    this.#mustMask = mustMask;
  }

  push(chunk: Buffer): void {
    if (this.#isBroken) return;
    let at = 0;
    while (at < chunk.length || (this.#inFrame && this.#left === 0)) {
      if (!this.#inFrame) {
        const wanted = LONGEST_HEAD - this.#head.length;
        const before = this.#head.length;
        this.#head = Buffer.concat([this.#head, chunk.subarray(at, at + wanted)]);
        const length = this.#openFrame();
        if (length === 0 || this.#isBroken) return;
        at += length - before;
        this.#head = Buffer.alloc(0);
      }
      const bytes = chunk.subarray(at, at + this.#left);
      at += bytes.length;
      this.#left -= bytes.length;
      if (this.#isMessage && bytes.length > 0) this.#sink.data(this.#unmask(bytes));
      if (this.#left > 0) return;
      this.#inFrame = false;
      if (this.#isMessage && this.#isLast) this.#sink.end();
    }
  }

  /** How long the head is; 0 while it isn't whole. */
  #openFrame(): number {
    const head = this.#head;
    if (head.length < 2) return 0;
    const first = head[0] as number;
    const second = head[1] as number;
    const short = second & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const maskBytes = second & 0x80 ? 4 : 0;
    const whole = 2 + lengthBytes + maskBytes;
    if (head.length < whole) return 0;
    this.#left = lengthBytes === 8 ? Number(head.readBigUInt64BE(2)) : lengthBytes === 2 ? head.readUInt16BE(2) : short;
    this.#mask = maskBytes ? Buffer.from(head.subarray(whole - 4, whole)) : null;
    this.#maskAt = 0;
    this.#inFrame = true;
    const opcode = first & 0x0f;
    this.#isMessage = opcode < 8;
    this.#isLast = (first & 0x80) !== 0;
    if ((this.#mustMask && !this.#mask) || !this.#isInPlace(opcode, (first & RESERVED) !== 0)) {
      this.#isBroken = true;
      this.#sink.broken();
      return whole;
    }
    if (this.#isMessage) this.#isOpen = !this.#isLast;
    if (opcode === TEXT || opcode === BINARY)
      this.#sink.begin(opcode === TEXT ? "text" : "binary", (first & RESERVED) !== 0);
    return whole;
  }

  #isInPlace(opcode: number, isReserved: boolean): boolean {
    if (opcode === TEXT || opcode === BINARY) return !this.#isOpen;
    if (opcode === CONTINUATION) return this.#isOpen && !isReserved;
    return CONTROLS.includes(opcode) && this.#isLast && this.#left <= LONGEST_CONTROL && !isReserved;
  }

  /** A copy: what passes is passed on as it is. */
  #unmask(bytes: Buffer): Buffer {
    const mask = this.#mask;
    if (!mask) return bytes;
    const plain = Buffer.allocUnsafe(bytes.length);
    for (let index = 0; index < bytes.length; index++) {
      plain[index] = (bytes[index] as number) ^ (mask[(this.#maskAt + index) & 3] as number);
    }
    this.#maskAt = (this.#maskAt + bytes.length) & 3;
    return plain;
  }
}
