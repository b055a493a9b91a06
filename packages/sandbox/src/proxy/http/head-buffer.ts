/** Longer heads are refused by Go too. */
export const LONGEST_HEAD = 1024 * 1024;

/** Collects a head until its empty line; what comes after is given back. */
export class HeadBuffer {
  #held: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** null while the empty line hasn't come. `isTooLong` is told by `length`. */
  push(chunk: Buffer): { readonly head: Buffer; readonly rest: Buffer } | null {
    const before = this.#tail();
    const at = Buffer.concat([before, chunk]).indexOf("\r\n\r\n");
    if (at === -1) {
      this.#held.push(chunk);
      this.#length += chunk.length;
      return null;
    }
    const end = at + 4 - before.length;
    const head = Buffer.concat([...this.#held, chunk.subarray(0, end)]);
    this.#held = [];
    this.#length = 0;
    return { head, rest: chunk.subarray(end) };
  }

  /** The empty line may come in pieces. */
  #tail(): Buffer {
    let tail: Buffer = Buffer.alloc(0);
    for (let index = this.#held.length - 1; index >= 0 && tail.length < 3; index--) {
      tail = Buffer.concat([this.#held[index] as Buffer, tail]).subarray(-3);
    }
    return tail;
  }
}
