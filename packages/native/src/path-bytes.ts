import { isUtf8 } from "node:buffer";

/**
 * A path is bytes; a string holds those that are UTF-8. Each byte that isn't becomes a lone surrogate (U+DC80 to U+DCFF, as
 * Python's `surrogateescape`), so that no name is lost or confused with another. Handed to Node or to a program as it is,
 * such a string names nothing: it fails, and never means another file.
 */

/** With `u` the halves of a pair aren't seen: those are text. */
const LONE = /([\uDC80-\uDCFF])/u;

export function pathFromBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const char = bytes.subarray(at, at + lengthAt(bytes[at] as number));
    const valid = isUtf8(char);
    text += valid ? char.toString() : String.fromCharCode(0xdc00 | (bytes[at] as number));
    at += valid ? char.length : 1;
  }
  return text;
}

export function bytesOfPath(path: string): Buffer {
  if (!isUnspeakable(path)) return Buffer.from(path);
  const parts = path.split(LONE);
  return Buffer.concat(
    parts.map((part, at) => (at % 2 ? Buffer.from([part.charCodeAt(0) & 0xff]) : Buffer.from(part))),
  );
}

/** What Node's file functions take for this path. */
export function nodePath(path: string): string | Buffer {
  return isUnspeakable(path) ? bytesOfPath(path) : path;
}

/** Whether the path holds bytes that no argument given as a string can carry. */
export function isUnspeakable(path: string): boolean {
  return !path.isWellFormed() && LONE.test(path);
}

/** How many bytes a character has that begins with this one. */
function lengthAt(first: number): number {
  if (first < 0xe0) return first < 0xc0 ? 1 : 2;
  return first < 0xf0 ? 3 : 4;
}
