import type { Duplex } from "node:stream";

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

/** Room for one chunk of cards (see `replay.ts`) with its last frame; larger ones get bytes of their own. */
const SPARE_BYTES = 40 * 1024;
/** At most 20 MiB are kept for use. */
const MAX_SPARES = 512;

/** Bytes to encode into, used again once they are written: at gigabytes a minute, memory grows faster than it is collected. */
export class Spares {
  readonly #free: Buffer[] = [];

  get free(): number {
    return this.#free.length;
  }

  take(length: number): Buffer {
    if (length > SPARE_BYTES) return Buffer.allocUnsafeSlow(length);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SPARE_BYTES);
  }

  /** Whoever took them has no use for them any more, and nor has any socket. */
  giveBack(bytes: Buffer): void {
    if (bytes.length === SPARE_BYTES && this.#free.length < MAX_SPARES) this.#free.push(bytes);
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

/** Writes the frames at once: a write for each costs more than all else. */
export function writeFrames(frames: SharedFrames, socket: Duplex, spares: Spares): void {
  const bytes = spares.take(encodedLength(frames));
  let waits = false;
  socket.write(encodeFrames(frames, bytes), () => {
    if (waits) spares.giveBack(bytes);
  });
  if (socket.writableLength > 0) waits = true;
  else spares.giveBack(bytes);
}

export function encodedLength({ head, tails }: SharedFrames): number {
  let total = 0;
  for (const tail of tails) {
    const length = head.bytes.length + tail.length;
    total += length + (length < LENGTH_16 ? 2 : length < 0x1_0000 ? 4 : 10);
  }
  return total;
}

/** The part of `bytes` that the frames fill, as they are on the wire. */
export function encodeFrames({ head, tails }: SharedFrames, bytes: Buffer): Buffer {
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
  return bytes.subarray(0, at);
}

function putNumber(bytes: Buffer, at: number | undefined, number: number): void {
  if (at === undefined) return;
  for (let digit = 0; digit < 4; digit += 1) bytes[at + digit] = DIGITS[(number >> (12 - 4 * digit)) & 15] as number;
}
