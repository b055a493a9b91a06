import { FrameError } from "./frame-error.ts";

/** Four bytes, big-endian: how long the frame is that follows. */
const HEADER_BYTES = 4;
const NOTHING = Buffer.alloc(0);

/**
 * Bytes as they come in, frames as they go out. Holds what has come and no more, whatever length is announced; linear in what comes,
 * however small the pieces are.
 */
export class FrameBuffer {
  readonly #longest: number;
  #bytes: Buffer = NOTHING;
  #start = 0;
  #end = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether a frame has begun that isn't whole. */
  get isHalf(): boolean {
    return this.#end > this.#start;
  }

  push(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length);
    chunk.copy(this.#bytes, this.#end);
    this.#end += chunk.length;
  }

  /** The oldest whole frame; undefined when there's none. After an error nothing that follows can be told apart. */
  take(): Buffer | undefined {
    if (this.#end - this.#start < HEADER_BYTES) return undefined;
    const length = this.#bytes.readUInt32BE(this.#start);
    if (length === 0) throw new FrameError("EMPTY_FRAME", "A frame has at least two bytes");
    if (length > this.#longest) {
      throw new FrameError(
        "FRAME_TOO_LONG",
        `A frame of ${length} bytes is announced, and ${this.#longest} are the most`,
      );
    }
    const from = this.#start + HEADER_BYTES;
    if (this.#end < from + length) return undefined;
    this.#start = from + length;
    const frame = this.#bytes.subarray(from, this.#start);
    if (this.#start === this.#end) this.#moveTo(NOTHING);
    return frame;
  }

  #makeRoom(bytes: number): void {
    const size = this.#end - this.#start;
    this.#moveTo(Buffer.alloc(Math.max(size + bytes, 2 * size)));
  }

  /** Always into other memory: frames that were taken are views of the old one. */
  #moveTo(bytes: Buffer): void {
    this.#bytes.copy(bytes, 0, this.#start, this.#end);
    this.#bytes = bytes;
    this.#end -= this.#start;
    this.#start = 0;
  }
}

export function writeFrame(value: object): Buffer {
  const content = Buffer.from(JSON.stringify(value));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(content.length);
  return Buffer.concat([header, content]);
}
