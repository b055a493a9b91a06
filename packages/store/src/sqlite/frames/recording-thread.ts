import { type KeyObject, sign } from "node:crypto";
import { AskedThread } from "@countersign/core/worker";
import { type LedgerKeys, StoreError } from "../../ledger/index.ts";
import type { LinkedReceipt } from "../base/index.ts";
import { SharedSigning } from "./shared-signing.ts";
import { packLinked, type WriteOrder, type Written } from "./write-order.ts";

/** Signed here in one go: others of this process wait no longer than that takes, a fifth of a millisecond. */
const SIGNED_AT_ONCE = 8;

interface WriteSetting {
  readonly keys: LedgerKeys;
  /** See `WriteOrder`. */
  readonly generation: number;
}

interface Unsigned {
  readonly signing: SharedSigning;
  readonly key: KeyObject;
  /** Why it couldn't be signed here. */
  failure?: unknown;
}

/**
 * Signs and writes on another thread, which waits for the disk while this one goes on, through a connection of its own. What that thread hasn't come to is signed
 * here meanwhile. SQLite takes one writer at a time: whoever asks has seen to it that nobody else writes. Where the thread dies, nobody knows
 * whether what it had is on disk: it is told as failed, and read from there again.
 */
export class RecordingThread {
  readonly #path: string;
  readonly #thread = new AskedThread<WriteOrder, Written>(new URL("./recording-worker.ts", import.meta.url));
  #known: KeyObject | undefined;
  /** The oldest first. */
  readonly #unsigned: Unsigned[] = [];
  #signs = false;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * In the order in which they are asked for. All of them are durable when it resolves, or none is. Returns the number of the receipt before them; undefined: they
   * aren't written, since what they hang on isn't.
   */
  async write(receipts: readonly LinkedReceipt[], { keys, generation }: WriteSetting): Promise<number | undefined> {
    const { key, signer } = keys;
    const signing = SharedSigning.of(receipts.map(({ unsealed }) => unsealed.message));
    const isKnown = this.#thread.isRunning && this.#known === key;
    this.#known = key;
    const answered = this.#thread.ask({
      ...{ kind: "write", path: this.#path, generation, publicKey: signer.publicKey, ...(isKnown ? {} : { key }) },
      ...{ shared: signing.shared, packed: packLinked(receipts) },
    });
    const unsigned: Unsigned = { signing, key };
    this.#unsigned.push(unsigned);
    this.#signAlong();
    const written = await answered;
    if (written.kind === "failed") throw new StoreError(written.code, written.message, { cause: unsigned.failure });
    if (written.kind === "closed") throw new StoreError("CLOSED", "The thread that writes was closed.");
    return written.kind === "loose" ? undefined : written.before;
  }

  /** Lets go of the database, and of the key: no thread has it then. The next write begins another. */
  async close(): Promise<void> {
    this.#known = undefined;
    if (!this.#thread.isRunning) return;
    // One that ends before it answers has let go of it, too.
    const closed = await this.#thread.ask({ kind: "close" }).catch(() => undefined);
    await this.#thread.close();
    if (closed?.kind === "failed") throw new StoreError(closed.code, closed.message);
  }

  #signAlong(): void {
    if (this.#signs) return;
    this.#signs = true;
    setImmediate(() => {
      this.#signs = false;
      if (this.#signSome()) this.#signAlong();
    });
  }

  /** False: none is left. */
  #signSome(): boolean {
    const [first] = this.#unsigned;
    if (first === undefined) return false;
    if (!signHere(first)) this.#unsigned.shift();
    return this.#unsigned.length > 0;
  }
}

/** False: nothing of it is left to sign. What can't be signed here fails there, with all that is to be written with it. */
function signHere(unsigned: Unsigned): boolean {
  try {
    return unsigned.signing.signSome(SIGNED_AT_ONCE, (message) => sign(null, message, unsigned.key));
  } catch (cause) {
    unsigned.failure = cause;
    return false;
  }
}
