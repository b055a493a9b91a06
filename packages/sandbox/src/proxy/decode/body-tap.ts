import { Digest, type Digests } from "../digest/index.ts";

/** Of one body, and of all that are under way at a time, so much is held to be read. What is over it is told as undecoded. */
const MOST_HELD = 4 * 1024 * 1024;

export class DecodeBudget {
  left: number;
  constructor(bytes = 64 * 1024 * 1024) {
    this.left = bytes;
  }
}

/** A body that is read as a whole: its beginning is held, all of it is hashed. */
export class BodyTap {
  readonly hash: Digest;
  /** There was more than may be held: what is held may still have the whole of the first value. */
  isCut = false;
  readonly #budget: DecodeBudget;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(budget: DecodeBudget, digests: Digests) {
    this.#budget = budget;
    this.hash = new Digest(digests);
  }

  content(bytes: Buffer): void {
    this.hash.update(bytes);
    if (this.isCut) return;
    if (this.#heldBytes + bytes.length > MOST_HELD || bytes.length > this.#budget.left) {
      this.isCut = true;
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    this.#budget.left -= bytes.length;
  }

  /** null: its hash is known. */
  end(): Promise<void> | null {
    return this.hash.end();
  }

  get isBehind(): boolean {
    return this.hash.isBehind;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  held(): Buffer {
    return Buffer.concat(this.#held);
  }

  release(): void {
    this.#budget.left += this.#heldBytes;
    this.#held = [];
    this.#heldBytes = 0;
    this.isCut = true;
  }
}
