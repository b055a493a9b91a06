import { SIGNATURE_BYTES } from "@countersign/receipts";

/** What is signed, in memory that threads share. */
export interface SharedMessages {
  readonly memory: SharedArrayBuffer;
  /** Of each message, in order. */
  readonly lengths: readonly number[];
}

type Sign = (message: Uint8Array) => Uint8Array;

/** How many have been begun, how many are done, and whether one has failed: 32 bits each. */
const [BEGUN, DONE, FAILED] = [0, 1, 2];
const COUNTERS_BYTES = 16;
/** A thread that waits looks up this often by itself: a call that wakes it can't be lost for longer. */
const LOOK_UP_MS = 50;

/**
 * Messages that two threads sign, each the next that nobody has begun: neither waits while there is something to do. A signature takes as long as all else that is
 * done to a receipt, and neither thread knows how much of that is left to it.
 *
 *     | begun | done | failed | – | signatures, 64 bytes each | messages, one after the other |
 */
export class SharedSigning {
  readonly shared: SharedMessages;
  readonly #counters: Int32Array;
  readonly #signatures: Uint8Array;
  readonly #messages: readonly Uint8Array[];

  constructor(shared: SharedMessages) {
    const { memory, lengths } = shared;
    this.shared = shared;
    this.#counters = new Int32Array(memory, 0, COUNTERS_BYTES / 4);
    this.#signatures = new Uint8Array(memory, COUNTERS_BYTES, lengths.length * SIGNATURE_BYTES);
    let from = COUNTERS_BYTES + this.#signatures.length;
    this.#messages = lengths.map((length) => {
      from += length;
      return new Uint8Array(memory, from - length, length);
    });
  }

  /** A copy of them. */
  static of(messages: readonly Uint8Array[]): SharedSigning {
    const lengths = messages.map(({ length }) => length);
    const bytes = lengths.reduce((sum, length) => sum + length, COUNTERS_BYTES + lengths.length * SIGNATURE_BYTES);
    const signing = new SharedSigning({ memory: new SharedArrayBuffer(bytes), lengths });
    for (const [at, message] of messages.entries()) signing.#messages[at]?.set(message);
    return signing;
  }

  /** Signs up to so many. False: all have been begun. */
  signSome(most: number, sign: Sign): boolean {
    for (let signed = 0; signed < most; signed += 1) if (!this.#signNext(sign)) return false;
    return true;
  }

  /** Signs what nobody has begun, and waits for what somebody has. Throws where either couldn't. */
  signRest(sign: Sign): void {
    while (this.#signNext(sign));
    for (;;) {
      const done = Atomics.load(this.#counters, DONE);
      if (Atomics.load(this.#counters, FAILED) !== 0) throw new Error("another thread couldn't sign its part");
      if (done === this.#messages.length) return;
      Atomics.wait(this.#counters, DONE, done, LOOK_UP_MS);
    }
  }

  message(at: number): Uint8Array {
    return this.#messages[at] as Uint8Array;
  }

  signature(at: number): Uint8Array {
    return this.#signatures.subarray(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES);
  }

  #signNext(sign: Sign): boolean {
    const at = Atomics.add(this.#counters, BEGUN, 1);
    const message = this.#messages[at];
    if (message === undefined) return false;
    try {
      this.#signatures.set(sign(message), at * SIGNATURE_BYTES);
    } catch (cause) {
      Atomics.store(this.#counters, FAILED, 1);
      throw cause;
    }
    // The one that waits is told once, by whoever signs the last.
    if (Atomics.add(this.#counters, DONE, 1) + 1 === this.#messages.length) Atomics.notify(this.#counters, DONE);
    return true;
  }
}
