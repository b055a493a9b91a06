import { BodyReader, HeadBuffer, LONGEST_HEAD, readAnswerHead } from "./http/index.ts";
import type { Call } from "./record/index.ts";

/** Reads an answer that has passed already. Whatever it is, it only decides what is told and when the next call may begin. */
export class AnswerReader {
  done = false;
  isUpgraded = false;
  readonly #method: string;
  readonly #call: Call;
  readonly #head = new HeadBuffer();
  #body: BodyReader | null = null;
  /** It isn't HTTP, or not framed as it says: the end is the connection's. */
  #isOpaque = false;

  constructor(method: string, call: Call) {
    this.#method = method;
    this.#call = call;
  }

  /** What isn't this answer's any more. */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#isOpaque) return this.#opaque(chunk);
    if (this.done) return chunk;
    if (this.#body) return this.#readBody(this.#body, chunk);
    const read = this.#head.push(chunk);
    if (!read) {
      if (this.#head.length > LONGEST_HEAD) this.#isOpaque = true;
      return undefined;
    }
    const head = readAnswerHead(read.head.toString("latin1", 0, read.head.length - 4), this.#method);
    if (!head) return this.#opaque(read.rest);
    // 100 and its like come before the answer.
    if (head.status < 200 && head.status !== 101) return read.rest.length > 0 ? this.push(read.rest) : undefined;
    this.#call.answerHead(head);
    if (head.status === 101) {
      this.isUpgraded = true;
      return read.rest;
    }
    this.#body = new BodyReader(head.framing, (content) => this.#call.answerContent(content));
    this.done = this.#body.done;
    return read.rest.length > 0 ? this.push(read.rest) : undefined;
  }

  /** The connection has ended. */
  end(): void {
    if (this.#body?.untilClose && !this.#isOpaque) this.done = true;
  }

  #readBody(body: BodyReader, chunk: Buffer): Buffer | undefined {
    const used = body.push(chunk);
    if (body.fault !== null) return this.#opaque(Buffer.alloc(0));
    this.done = body.done;
    return used < chunk.length ? chunk.subarray(used) : undefined;
  }

  #opaque(bytes: Buffer): undefined {
    this.#isOpaque = true;
    this.#call.answerContent(bytes);
  }
}
