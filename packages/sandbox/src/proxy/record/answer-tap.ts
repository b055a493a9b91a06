import { Digest, type Digests } from "../digest/index.ts";

/** Ids and error codes stand in answers that are small. */
const MOST_KEPT = 256 * 1024;

/** An answer that isn't a stream of events: hashed as it passes; of a small one the text is kept until the end. */
export class AnswerTap {
  readonly hash: Digest;
  readonly #kept: Buffer[] = [];

  constructor(digests: Digests) {
    this.hash = new Digest(digests);
  }

  /** Of a large one nothing is kept any more, so that what comes is only hashed. */
  get keeps(): boolean {
    return this.hash.bytes <= MOST_KEPT;
  }

  content(bytes: Buffer): void {
    this.hash.update(bytes);
    if (this.keeps) this.#kept.push(bytes);
    else this.#kept.length = 0;
  }

  /** null: its hash is known. */
  end(): Promise<void> | null {
    return this.hash.end();
  }

  get isBehind(): boolean {
    return this.hash.isBehind;
  }

  /** The first JSON value: some answers have two objects in a body. undefined where there is none. */
  json(): unknown {
    const text = this.keeps ? Buffer.concat(this.#kept).toString() : "";
    return parse(text) ?? parse(text.slice(0, text.indexOf("}{") + 1));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
