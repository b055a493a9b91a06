const TAGS = {
  integer: 0x02,
  bitString: 0x03,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  context0: 0xa0,
} as const;
type Kind = keyof typeof TAGS;

/** One value: tag, length, content. */
export interface Der {
  readonly kind: Kind;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** Goes through values one after the other. What isn't the one that is expected is an error. */
export class DerReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  nextIs(...kinds: readonly Kind[]): boolean {
    return kinds.some((kind) => this.#bytes[this.#at] === TAGS[kind]);
  }

  take(...kinds: readonly Kind[]): Der {
    const kind = kinds.find((each) => this.#bytes[this.#at] === TAGS[each]);
    if (kind === undefined) throw new Error(`something else than ${kinds.join(" or ")} is at ${this.#at}`);
    const { from, length } = this.#lengthAt(this.#at + 1);
    if (from + length > this.#bytes.length) throw new Error(`a value at ${this.#at} is cut`);
    const whole = this.#bytes.subarray(this.#at, from + length);
    this.#at = from + length;
    return { kind, content: this.#bytes.subarray(from, this.#at), whole };
  }

  end(): void {
    if (!this.isAtEnd) throw new Error(`there is more at ${this.#at}`);
  }

  /** One byte below 128; else the first says how many follow. */
  #lengthAt(at: number): { readonly from: number; readonly length: number } {
    const first = this.#bytes[at];
    if (first === undefined) throw new Error("it is cut");
    if (first < 0x80) return { from: at + 1, length: first };
    const bytes = first & 0x7f;
    if (bytes === 0 || bytes > 4 || at + 1 + bytes > this.#bytes.length) throw new Error(`no length is at ${at}`);
    return { from: at + 1 + bytes, length: this.#bytes.readUIntBE(at + 1, bytes) };
  }
}
