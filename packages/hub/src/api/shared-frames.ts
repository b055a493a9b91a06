import type { Duplex } from "node:stream";

/** Start of each frame of a batch. */
export interface Head {
  readonly bytes: Buffer;
  /** Position of four digits that differ in each frame. Undefined: all frames start alike. */
  readonly numberAt: number | undefined;
}

/** Text frames whose tails are the same for every receiver, and are built once. */
export interface SharedFrames {
  readonly head: Head;
  readonly tails: readonly Buffer[];
}

/** RFC 6455, 5.2: final text frame. Servers don't mask. */
const TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const DIGITS = Buffer.from("0123456789abcdef");

/** Enough for one chunk of cards (see `replay.ts`) with its last frame. Larger batches get a buffer of their own. */
const SPARE_BYTES = 40 * 1024;
/** Keeps at most 20 MiB. */
const MAX_SPARES = 512;

/**
 * Pool of buffers for encoded frames. At gigabytes a minute memory would otherwise grow faster than it is collected.
 */
export class Spares {
  readonly #free: Buffer[] = [];

  get free(): number {
    return this.#free.length;
  }

  take(length: number): Buffer {
    if (length > SPARE_BYTES) return Buffer.allocUnsafeSlow(length);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SPARE_BYTES);
  }

  /** Returns a buffer to the pool. Neither the caller nor a socket may use it any more. */
  giveBack(bytes: Buffer): void {
    if (bytes.length === SPARE_BYTES && this.#free.length < MAX_SPARES) this.#free.push(bytes);
  }
}

/** Returns the frames as texts. */
export function textsOf({ head, tails }: SharedFrames): string[] {
  return tails.map((tail, index) => {
    const bytes = Buffer.concat([head.bytes, tail]);
    putNumber(bytes, head.numberAt, index);
    return bytes.toString();
  });
}

/** Writes all frames with one call, because a write for each costs more than everything else. */
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

/** Encodes the frames into `bytes` and returns the part that they fill. */
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
