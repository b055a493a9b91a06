/** What a driver says between what code writes. */
export type DriverWord =
  | { readonly event: "ready" }
  | { readonly event: "result"; readonly text: string; readonly count: number }
  | { readonly event: "error"; readonly ename: string; readonly evalue: string; readonly traceback: readonly string[] }
  | { readonly event: "done"; readonly count: number };

interface Listener {
  text(text: string): void;
  word(word: DriverWord): void;
}

/** Words longer than this end the kernel: its code could say anything. */
const MAX_WORD_BYTES = 64 * 1024 * 1024;

/** Takes one stream of a driver apart. */
export class MarkedOutput {
  readonly #mark: Buffer;
  readonly #listener: Listener;
  readonly #decoder = new TextDecoder();
  #rest: Buffer = Buffer.alloc(0);

  constructor(mark: string, listener: Listener) {
    this.#mark = Buffer.from(`\0${mark}`);
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const at = this.#rest.indexOf(this.#mark);
      if (at === -1) break;
      this.#tell(this.#rest.subarray(0, at));
      this.#rest = this.#rest.subarray(at);
      const end = this.#rest.indexOf(0x0a);
      if (end === -1 && this.#rest.length > MAX_WORD_BYTES) throw new Error("a word of the kernel is too long");
      if (end === -1) return;
      const word = this.#rest.toString("utf8", this.#mark.length, end);
      this.#rest = this.#rest.subarray(end + 1);
      this.#listener.word(JSON.parse(word) as DriverWord);
    }
    // A mark may have begun.
    const begun = this.#rest.lastIndexOf(0x00);
    const held = begun !== -1 && this.#rest.length - begun < this.#mark.length ? begun : this.#rest.length;
    this.#tell(this.#rest.subarray(0, held));
    this.#rest = Buffer.from(this.#rest.subarray(held));
  }

  #tell(bytes: Buffer): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text !== "") this.#listener.text(text);
  }
}
