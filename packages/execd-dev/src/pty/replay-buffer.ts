export interface Replay {
  /** Where the first of these bytes stands. */
  readonly offset: number;
  readonly bytes: Buffer;
}

/** The newest output of a terminal, by its offset from the beginning. */
export class ReplayBuffer {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    this.total += chunk.length;
    while (this.#kept - (this.#chunks[0] as Buffer).length >= this.#maxBytes) {
      this.#kept -= (this.#chunks.shift() as Buffer).length;
    }
  }

  /** What came from there on, as far as it is kept. */
  since(offset: number): Replay {
    const kept = Buffer.concat(this.#chunks);
    const newest = kept.subarray(Math.max(0, kept.length - this.#maxBytes));
    const wanted = Math.max(0, this.total - Math.max(0, offset));
    const bytes = newest.subarray(newest.length - Math.min(wanted, newest.length));
    return { offset: this.total - bytes.length, bytes };
  }
}
