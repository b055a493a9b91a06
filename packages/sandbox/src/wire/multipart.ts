import { type PartHead, readPartHead } from "./part-head.ts";

/** What becomes of a part's bytes. */
export interface PartSink {
  data(bytes: Buffer): void;
  end(): void;
}

/** As many as Go's reader takes. */
const MOST_PARTS = 1000;
const LONGEST_HEAD = 16 * 1024;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);
const LAST_LINE = "the last delimiter isn't a line of its own";

/**
 * Reads a multipart body while it passes, holding no more than a delimiter of it. It knows less than Go's reader on purpose: where that is
 * lenient (line feeds alone, text before the first part, encoded parts) this has a `fault`, and what was uploaded counts as not read.
 */
export class MultipartReader {
  /** Why the rest wasn't read. */
  fault: string | null = null;
  /** The last delimiter was seen, so that execd may begin to write: Go's reader looks at nothing after that line. */
  complete = false;
  readonly #delimiter: Buffer;
  readonly #onPart: (head: PartHead) => PartSink | null;
  #state: "data" | "after-delimiter" | "head" | "last-line" | "over" = "data";
  /** As if a line had ended before the first delimiter. */
  #rest: Buffer = Buffer.from("\r\n");
  /** So many bytes of what comes are no part's content, though they may begin a delimiter. */
  #unread = 2;
  #isPreamble = true;
  #part: PartSink | null = null;
  #parts = 0;

  constructor(boundary: string, onPart: (head: PartHead) => PartSink | null) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
    this.#onPart = onPart;
  }

  push(chunk: Buffer): void {
    if (this.fault !== null || this.#state === "over" || this.#passData(chunk)) return;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let goesOn = true;
    while (goesOn && this.fault === null) {
      if (this.#state === "data") goesOn = this.#readData();
      else if (this.#state === "after-delimiter") goesOn = this.#readAfterDelimiter();
      else if (this.#state === "head") goesOn = this.#readHead();
      else goesOn = this.#readLastLine();
    }
    // What is kept is a few bytes of somebody else's chunk, which may be large.
    this.#rest = Buffer.from(this.#rest);
  }

  /** Most of a large file: no delimiter is anywhere near, and nothing has to be put together. */
  #passData(chunk: Buffer): boolean {
    const length = this.#delimiter.length;
    if (this.#state !== "data" || chunk.length < 2 * length) return false;
    const isAtSeam = this.#rest.length > 0 && this.#seam(chunk).includes(this.#delimiter);
    if (isAtSeam || chunk.includes(this.#delimiter)) return false;
    if (this.#rest.length > 0) this.#give(this.#rest);
    // A delimiter begins with the one carriage return that is in it: where there's none, none has begun.
    const begun = chunk.subarray(chunk.length - length + 1).indexOf(CARRIAGE_RETURN);
    const end = begun === -1 ? chunk.length : chunk.length - length + 1 + begun;
    this.#give(end === chunk.length ? chunk : chunk.subarray(0, end));
    this.#rest = begun === -1 ? NOTHING : Buffer.from(chunk.subarray(end));
    return true;
  }

  #seam(chunk: Buffer): Buffer {
    return Buffer.concat([this.#rest, chunk.subarray(0, this.#delimiter.length)]);
  }

  /** After the last byte. */
  end(): void {
    if (this.fault !== null || this.#state === "over") return;
    if (!this.complete) this.fault = "it ends before its last delimiter";
    else if (this.#rest.length > 0) this.fault = LAST_LINE;
  }

  #readData(): boolean {
    const at = this.#rest.indexOf(this.#delimiter);
    const end = at === -1 ? Math.max(0, this.#rest.length - this.#delimiter.length + 1) : at;
    this.#give(this.#rest.subarray(0, end));
    this.#rest = this.#rest.subarray(end);
    if (at === -1) return false;
    const kind = this.#delimiterKind();
    if (kind === "unknown") return false;
    if (kind === "content") {
      this.#give(this.#rest.subarray(0, this.#delimiter.length));
      this.#rest = this.#rest.subarray(this.#delimiter.length);
      return true;
    }
    this.#unread = 0;
    this.#part?.end();
    this.#part = null;
    this.#isPreamble = false;
    this.#rest = this.#rest.subarray(this.#delimiter.length);
    this.#state = "after-delimiter";
    return true;
  }

  /** As Go: a boundary with something else behind it is content like any other. */
  #delimiterKind(): "delimiter" | "content" | "unknown" {
    const next = this.#rest[this.#delimiter.length];
    const second = this.#rest[this.#delimiter.length + 1];
    if (next === undefined || (next === 0x2d && second === undefined)) return "unknown";
    const isLine = next === 0x20 || next === 0x09 || next === 0x0d || next === 0x0a;
    return isLine || (next === 0x2d && second === 0x2d) ? "delimiter" : "content";
  }

  #give(bytes: Buffer): void {
    const skipped = Math.min(this.#unread, bytes.length);
    this.#unread -= skipped;
    if (bytes.length === skipped) return;
    if (this.#isPreamble) this.fault = "something stands before the first part";
    else this.#part?.data(bytes.subarray(skipped));
  }

  #readAfterDelimiter(): boolean {
    if (this.#rest.length < 2) return false;
    if (this.#rest[0] === 0x2d && this.#rest[1] === 0x2d) {
      this.complete = true;
      this.#rest = this.#rest.subarray(2);
      this.#state = "last-line";
      return true;
    }
    if (this.#rest[0] !== 0x0d || this.#rest[1] !== 0x0a) {
      this.fault = "a delimiter isn't a line of its own";
      return false;
    }
    this.#rest = this.#rest.subarray(2);
    this.#state = "head";
    return true;
  }

  /** `--b--X` is no last line to Go: as the first it is passed over and all parts behind it count, later it is an error. */
  #readLastLine(): boolean {
    let at = 0;
    while (this.#rest[at] === 0x20 || this.#rest[at] === 0x09) at++;
    this.#rest = this.#rest.subarray(at);
    if (this.#rest.length === 0 || (this.#rest.length === 1 && this.#rest[0] === 0x0d)) return false;
    if (this.#rest[0] === 0x0d && this.#rest[1] === 0x0a) this.#state = "over";
    else this.fault = LAST_LINE;
    return false;
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (end === -1) {
      if (this.#rest.length > LONGEST_HEAD) this.fault = "a part's head is too long";
      return false;
    }
    const head = readPartHead(this.#rest.toString("latin1", 0, end));
    if (typeof head === "string") this.fault = head;
    else if (++this.#parts > MOST_PARTS) this.fault = `there are more than ${MOST_PARTS} parts`;
    else this.#part = this.#onPart(head);
    // The line end that closes the head may also begin a delimiter: then the part is empty.
    this.#rest = this.#rest.subarray(end + 2);
    this.#unread = 2;
    this.#state = "data";
    return true;
  }
}
