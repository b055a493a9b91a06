import type { Writable } from "node:stream";

/** Of less, the collector's own time is good enough. */
const LEAST_BYTES = 32 * 1024;

/** What somebody may read again. */
export function write(to: Writable, bytes: Buffer): boolean {
  return to.write(bytes);
}

/**
 * Writes bytes that nobody reads again, and gives their memory back as soon as they have gone instead of when the collector finds them. A
 * large file passes in thousands of such chunks: collecting them cost a fifth of the proxy's time, and each new one was memory that no
 * cache had.
 *
 * Only after a write that succeeded: until then the bytes are still the system's to read. Only what is all of its memory: beside a part
 * of it, something else may live.
 */
export function writeAndLetGo(to: Writable, bytes: Buffer): boolean {
  const { buffer } = bytes;
  if (bytes.length < LEAST_BYTES || bytes.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer))
    return write(to, bytes);
  return to.write(bytes, (error) => {
    // Nothing of it is moved: what is left of it is an empty buffer, and the memory is free.
    if (!error) buffer.transfer(0);
  });
}
