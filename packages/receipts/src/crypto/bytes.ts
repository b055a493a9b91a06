const utf8 = new TextEncoder();

export function utf8Bytes(text: string): Uint8Array {
  return utf8.encode(text);
}

/** UTF-16's unit takes at most three bytes. */
const LONGEST_UNIT = 3;
const SLAB_BYTES = 64 * 1024;

/** Bytes of many texts in few buffers: one of its own costs a text of a thousand letters more than its bytes do. What it gave stays as it is. */
export class ByteSlab {
  #slab = new Uint8Array(0);
  #used = 0;

  encode(text: string): Uint8Array {
    const most = text.length * LONGEST_UNIT;
    if (most > SLAB_BYTES) return utf8Bytes(text);
    const { written } = utf8.encodeInto(text, this.#room(most));
    return this.#take(written);
  }

  /** One after the other. */
  join(first: Uint8Array, second: Uint8Array): Uint8Array {
    const length = first.length + second.length;
    if (length > SLAB_BYTES) return concatBytes(first, second);
    const room = this.#room(length);
    room.set(first);
    room.set(second, first.length);
    return this.#take(length);
  }

  #room(bytes: number): Uint8Array {
    if (this.#used + bytes > this.#slab.length) {
      this.#slab = new Uint8Array(SLAB_BYTES);
      this.#used = 0;
    }
    return this.#slab.subarray(this.#used);
  }

  #take(bytes: number): Uint8Array {
    this.#used += bytes;
    return this.#slab.subarray(this.#used - bytes, this.#used);
  }
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** For public values only: it stops at the first difference, and so tells by its time where that is. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += 1) text += HEX[bytes[index] as number];
  return text;
}

/** null: not pairs of lower-case digits. */
export function fromHex(text: string): Uint8Array | null {
  if (text.length % 2 !== 0) return null;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    const high = digitAt(text, at * 2);
    const low = digitAt(text, at * 2 + 1);
    if (high === -1 || low === -1) return null;
    bytes[at] = high * 16 + low;
  }
  return bytes;
}

function digitAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  return unit >= 0x61 && unit <= 0x66 ? unit - 0x57 : -1;
}
