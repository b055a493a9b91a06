const COMMON = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const STANDARD = alphabet(`${COMMON}+/`);
const URL_SAFE = alphabet(`${COMMON}-_`);

interface Alphabet {
  readonly letters: string;
  /** Of each letter, in ASCII. */
  readonly codes: Uint8Array;
  /** Both letters of any 12 bits. */
  readonly pairs: readonly string[];
  /** The value of an ASCII character; 255 where it has none. */
  readonly values: Uint8Array;
}

function alphabet(letters: string): Alphabet {
  const values = new Uint8Array(128).fill(255);
  for (let value = 0; value < 64; value += 1) values[letters.charCodeAt(value)] = value;
  const pairs = Array.from({ length: 4096 }, (_, bits) => letters.charAt(bits >> 6) + letters.charAt(bits & 63));
  const codes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return { letters, codes, pairs, values };
}

/** RFC 4648 section 5, unpadded: signatures and keys inside receipts. */
export function toBase64Url(bytes: Uint8Array): string {
  return encode(bytes, URL_SAFE);
}

/** The same as bytes of ASCII, from `from` on. */
export function writeBase64Url(bytes: Uint8Array, into: Uint8Array, from: number): void {
  let at = from;
  let held = 0;
  let bits = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    held = ((held << 8) | (bytes[index] as number)) & 0xffff;
    for (bits += 8; bits >= 6; at += 1) {
      bits -= 6;
      into[at] = URL_SAFE.codes[(held >> bits) & 63] as number;
    }
  }
  if (bits > 0) into[at] = URL_SAFE.codes[(held << (6 - bits)) & 63] as number;
}

/** null: another character, a length that no bytes have, or unused bits that aren't zero. */
export function fromBase64Url(text: string): Uint8Array | null {
  return decode(text, URL_SAFE);
}

/** RFC 4648 section 4, padded: signed notes. */
export function toBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD);
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  return decode(text.replace(/={1,2}$/, ""), STANDARD);
}

function encode(bytes: Uint8Array, { pairs, letters }: Alphabet): string {
  let text = "";
  let at = 0;
  for (; at + 2 < bytes.length; at += 3) {
    const bits = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    text += (pairs[bits >> 12] as string) + (pairs[bits & 4095] as string);
  }
  const left = bytes.length - at;
  if (left === 1) return text + (pairs[(bytes[at] as number) << 4] as string);
  if (left === 0) return text;
  const bits = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  return text + (pairs[bits >> 4] as string) + letters.charAt((bits & 15) << 2);
}

/**
 * Strict in the bits that encode nothing: if they could be anything, one signature would have several texts, and a bit
 * changed there would go unseen.
 */
function decode(text: string, { values }: Alphabet): Uint8Array | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const value = values[text.charCodeAt(index)] ?? 255;
    if (value === 255) return null;
    held = (held << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at] = held >> bits;
      at += 1;
      held &= (1 << bits) - 1;
    }
  }
  return held === 0 ? bytes : null;
}
