import assert from "node:assert/strict";
import { CHUNK_BYTES, type Digests, type Hashed, type OpenDigest } from "./digests.ts";
import type { LostHash } from "./hash-thread.ts";
import { sha256Text } from "./running-hash.ts";

/** What is larger is hashed on the thread: less takes less time than waking it. */
const MOST_KEPT = 256 * 1024;
/** So much of each is kept whatever others keep, since calls rest on what small ones teach: no more than a small part of what a connection's sockets may hold. */
const ALWAYS_KEPT = 16 * 1024;

/** Under a name, or why there is none. */
export type HashField<Name extends string> = { readonly [known in Name]: string } | { readonly unhashed: LostHash };

/**
 * SHA-256 of a body that passes, written as in receipts. A hash can't change threads in its middle, so the beginning of each body is kept until it
 * is known to be large, or over. Bytes are copied: whoever brings them may let go of them.
 */
export class Digest {
  bytes = 0;
  readonly #digests: Digests;
  #kept: Buffer[] = [];
  /** Of what all bodies may keep together. */
  #lentBytes = 0;
  /** At the thread. */
  #open: OpenDigest | null = null;
  #ending: Promise<void> | null = null;
  #hashed: Hashed | null = null;

  constructor(digests: Digests) {
    this.#digests = digests;
  }

  /** What comes after its end isn't of it. */
  update(bytes: Buffer): void {
    if (this.#ending || this.#hashed) return;
    this.bytes += bytes.length;
    if (this.#open) return this.#digests.give(this.#open, bytes);
    if (this.#mayKeep()) return void this.#kept.push(Buffer.from(bytes));
    this.#open = this.#digests.open();
    for (const each of [...this.#takeKept(), bytes]) this.#digests.give(this.#open, each);
  }

  /** Whether it has gone to the thread. */
  get isAtThread(): boolean {
    return this.#open !== null;
  }

  /**
   * The thread has as much as it should, and this body is there or may be with its next chunk: whoever brings it waits. Also after its end, until it is
   * hashed: the next body on its connection would be more of the same. Before it goes there, since one that ends with its connection can't be made to wait later.
   */
  get isBehind(): boolean {
    const isForThread = this.isAtThread || this.bytes > MOST_KEPT - CHUNK_BYTES;
    return isForThread && this.#hashed === null && this.#digests.isFull;
  }

  /** After the last byte; asked again, it is the same end. null: the hash is known, as that of what is small is at once. */
  end(): Promise<void> | null {
    if (this.#hashed) return null;
    if (!this.#open) {
      this.#hashed = { hash: sha256Text(Buffer.concat(this.#takeKept())) };
      return null;
    }
    this.#ending ??= this.#digests.finish(this.#open).then((hashed) => {
      this.#hashed = hashed;
    });
    return this.#ending;
  }

  /** Of what has ended. */
  get hashed(): Hashed {
    assert(this.#hashed !== null, "a hash is asked for before it is known");
    return this.#hashed;
  }

  /** As what is told has it. */
  field<Name extends string>(name: Name): HashField<Name> {
    const { hashed } = this;
    return "lost" in hashed ? { unhashed: hashed.lost } : ({ [name]: hashed.hash } as { [known in Name]: string });
  }

  /** All that has come of it. */
  #mayKeep(): boolean {
    const more = Math.max(this.bytes - ALWAYS_KEPT, 0) - this.#lentBytes;
    if (this.bytes > MOST_KEPT || !this.#digests.keep(more)) return false;
    this.#lentBytes += more;
    return true;
  }

  #takeKept(): Buffer[] {
    const kept = this.#kept;
    this.#digests.letGo(this.#lentBytes);
    this.#kept = [];
    this.#lentBytes = 0;
    return kept;
  }
}
