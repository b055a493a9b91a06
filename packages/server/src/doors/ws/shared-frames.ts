/** What stands at the start of each frame of a batch. */
export interface Head {
  readonly bytes: Buffer;
  /** Where four digits make it this frame's own; undefined: all start alike. */
  readonly numberAt: number | undefined;
}

/** Text frames of which the tail is the same for every receiver, and made once. */
export interface SharedFrames {
  readonly head: Head;
  readonly tails: readonly Buffer[];
}

/** RFC 6455, 5.2: final, text. What a server sends isn't masked. */
const TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const DIGITS = Buffer.from("0123456789abcdef");

/** Bytes to encode into, used again when they were written at once: at gigabytes a minute, memory grows faster than it is collected. */
export class Spare {
  #bytes = Buffer.alloc(0);

  take(length: number): Buffer {
    if (this.#bytes.length < length) this.#bytes = Buffer.allocUnsafeSlow(length);
    return this.#bytes.subarray(0, length);
  }

  /** What was taken last is still being written: the next gets others. */
  giveAway(): void {
    this.#bytes = Buffer.alloc(0);
  }
}

/** The frames as texts. */
export function textsOf({ head, tails }: SharedFrames): string[] {
  return tails.map((tail, index) => {
    const bytes = Buffer.concat([head.bytes, tail]);
    putNumber(bytes, head.numberAt, index);
    return bytes.toString();
  });
}

/** The bytes of the frames on the wire, for one write: a write for each costs more than all else. */
export function encodeFrames({ head, tails }: SharedFrames, spare: Spare): Buffer {
  let total = 0;
  for (const tail of tails) {
    const length = head.bytes.length + tail.length;
    total += length + (length < LENGTH_16 ? 2 : length < 0x1_0000 ? 4 : 10);
  }
  const bytes = spare.take(total);
  let at = 0;
  for (let index = 0; index < tails.length; index += 1) {
    const tail = tails[index] as Buffer;
    const length = head.bytes.length + tail.length;
    bytes[at++] = TEXT;
    if (length < LENGTH_16) bytes[at++] = length;
    else if (length < 0x1_0000) {
      bytes[at++] = LENGTH_16;
      at = bytes.writeUInt16BE(length, at);
    } else {
      bytes[at++] = LENGTH_64;
      at = bytes.writeUInt32BE(0, at);
      at = bytes.writeUInt32BE(length, at);
    }
    bytes.set(head.bytes, at);
    if (head.numberAt !== undefined) putNumber(bytes, at + head.numberAt, index);
    at += head.bytes.length;
    bytes.set(tail, at);
    at += tail.length;
  }
  return bytes;
}

function putNumber(bytes: Buffer, at: number | undefined, number: number): void {
  if (at === undefined) return;
  for (let digit = 0; digit < 4; digit += 1) bytes[at + digit] = DIGITS[(number >> (12 - 4 * digit)) & 15] as number;
}
