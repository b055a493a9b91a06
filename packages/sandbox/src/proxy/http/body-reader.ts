import type { Framing } from "./message-head.ts";

/** A line of a chunk's size, or of what follows the last one. Go's reader stops at 4 KiB. */
const LONGEST_LINE = 4096;
const SIZE_LINE = /^([0-9A-Fa-f]{1,13})((?:[ \t]*;[^\0-\x08\x0a-\x1f\x7f]*)?)$/;
const TRAILER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\0-\x08\x0a-\x1f\x7f]*$/;
const FORBIDDEN_TRAILER =
  /^(?:content-length|transfer-encoding|host|trailer|content-encoding|content-type|x-execd-access-token):/i;

/** Finds where a body ends, and what of its bytes are content. */
export class BodyReader {
  done: boolean;
  /** The framing can't be read: nothing after this is the body's for certain. */
  fault: string | null = null;
  readonly #onContent: (bytes: Buffer) => void;
  /** Only the connection's end is the body's. */
  readonly untilClose: boolean;
  readonly #isChunked: boolean;
  #left: number;
  #state: "size" | "content" | "content-end" | "trailer" = "size";
  #line: Buffer = Buffer.alloc(0);
  #trailerBytes = 0;

  constructor(framing: Framing, onContent: (bytes: Buffer) => void) {
    this.#onContent = onContent;
    this.done = framing.kind === "none";
    this.#isChunked = framing.kind === "chunked";
    this.untilClose = framing.kind === "until-close";
    this.#left =
      framing.kind === "length" ? framing.bytes : framing.kind === "until-close" ? Number.POSITIVE_INFINITY : 0;
  }

  /** How many of these bytes are the body's, its framing included: all of them, until it is done. */
  push(chunk: Buffer): number {
    let at = 0;
    while (at < chunk.length && !this.done && this.fault === null) {
      at +=
        !this.#isChunked || this.#state === "content" ? this.#content(chunk.subarray(at)) : this.#framing(chunk, at);
    }
    return at;
  }

  #content(bytes: Buffer): number {
    const content = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= content.length;
    this.#onContent(content);
    if (this.#left === 0) {
      if (this.#isChunked) this.#state = "content-end";
      else this.done = true;
    }
    return content.length;
  }

  #framing(chunk: Buffer, at: number): number {
    const feed = chunk.indexOf(0x0a, at);
    const end = feed === -1 ? chunk.length : feed + 1;
    this.#line = Buffer.concat([this.#line, chunk.subarray(at, end)]);
    if (this.#line.length > LONGEST_LINE) this.fault = "a line of its framing is too long";
    else if (feed !== -1) {
      const line = this.#line.toString("latin1");
      this.#line = Buffer.alloc(0);
      if (line.endsWith("\r\n")) this.#takeLine(line.slice(0, -2));
      else this.fault = "a line of its framing ends with a line feed alone";
    }
    return end - at;
  }

  #takeLine(line: string): void {
    if (this.#state === "content-end") {
      if (line === "") this.#state = "size";
      else this.fault = "a chunk is longer than it says";
    } else if (this.#state === "size") {
      const size = SIZE_LINE.exec(line);
      if (!size) this.fault = "a chunk's size can't be read";
      else {
        this.#left = Number.parseInt(size[1] as string, 16);
        this.#state = this.#left === 0 ? "trailer" : "content";
      }
    } else if (line === "") this.done = true;
    else {
      this.#trailerBytes += line.length;
      if (!TRAILER.test(line) || FORBIDDEN_TRAILER.test(line) || this.#trailerBytes > LONGEST_LINE * 4)
        this.fault = "what follows the last chunk can't be read";
    }
  }
}
