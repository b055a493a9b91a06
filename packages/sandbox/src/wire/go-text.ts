import { isUtf8 } from "node:buffer";

const REPLACEMENT = "\uFFFD";

/** What stands between the quotes of a JSON string, as Go reads it: half surrogates and bytes that aren't UTF-8 become U+FFFD. */
export function goText(quoted: Buffer): string {
  if (!quoted.includes(0x5c)) return goUtf8(quoted);
  const parts: string[] = [];
  let from = 0;
  for (let at = quoted.indexOf(0x5c); at !== -1; at = quoted.indexOf(0x5c, from)) {
    parts.push(goUtf8(quoted.subarray(from, at)));
    const [text, length] = readEscape(quoted, at);
    parts.push(text);
    from = at + length;
  }
  parts.push(goUtf8(quoted.subarray(from)));
  return parts.join("");
}

/** One U+FFFD for each byte that isn't UTF-8. TextDecoder has one for several, and so another text. */
export function goUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOf(bytes, at);
    text += length === 0 ? REPLACEMENT : bytes.toString("utf8", at, at + length);
    at += length || 1;
  }
  return text;
}

/** How many bytes the character at this place has; 0 where there is none. */
function lengthOf(bytes: Buffer, at: number): number {
  const byte = bytes[at] as number;
  const length = byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
  return length !== 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

const SIMPLE: { readonly [letter: string]: string } = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function readEscape(quoted: Buffer, at: number): [text: string, length: number] {
  const letter = String.fromCharCode(quoted[at + 1] as number);
  if (letter !== "u") return [SIMPLE[letter] ?? letter, 2];
  const unit = unitAt(quoted, at);
  if (!isSurrogate(unit)) return [String.fromCharCode(unit), 6];
  const second = quoted[at + 6] === 0x5c && quoted[at + 7] === 0x75 ? unitAt(quoted, at + 6) : 0;
  const isPair = unit < 0xdc00 && second >= 0xdc00 && second <= 0xdfff;
  return isPair ? [String.fromCharCode(unit, second), 12] : [REPLACEMENT, 6];
}

function unitAt(quoted: Buffer, at: number): number {
  return Number.parseInt(quoted.toString("latin1", at + 2, at + 6), 16);
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
