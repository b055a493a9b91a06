/** How much all connections hold together. What is taken is always counted, also over the limit: who takes it then lets go of something. */
export class HeldBytes {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether that is still within the limit. */
  take(bytes: number): boolean {
    this.#held += bytes;
    return this.#held <= this.#most;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}
