import { Worker } from "node:worker_threads";
import type { FilledBlock, HashedBlock } from "./block.ts";
import { HashBlocks } from "./hash-blocks.ts";

/**
 * Why a hash isn't known. ENDED: its thread ended in the middle. LATE: its thread said nothing for as long as it may take. Either way the bytes have
 * passed and are gone: whoever tells of them says so.
 */
export type LostHash = "HASH_THREAD_ENDED" | "HASH_THREAD_LATE";

/** A block takes less than a millisecond; a machine may be busy. */
const LATE_MS = 10_000;
/** In so many looks: who was stopped himself for longer than that, as sandboxes are, hears the thread before the next one. */
const LOOKS = 3;

export interface HashThreadOptions {
  readonly onHashed: (block: HashedBlock) => void;
  /** Of all that was posted and isn't hashed. */
  readonly onLost: (why: LostHash) => void;
  /** Another thread's than `hash-worker.ts`. */
  readonly url?: URL;
  readonly lateMs?: number;
}

/**
 * Hashes on a thread that begins with the first block. Where none can begin, nothing is lost: the blocks are still here, and are hashed here.
 * One that ends later takes what it was hashing with it; what comes then is hashed here, too, and no other thread is tried.
 */
export class HashThread {
  readonly #options: HashThreadOptions;
  #worker: Worker | null = null;
  /** What waits for the thread to begin. */
  #waiting: FilledBlock[] | null = [];
  #here: HashBlocks | null = null;
  #out = 0;
  #watching: NodeJS.Timeout | undefined;
  /** Looks since it was last heard. */
  #unheard = 0;

  constructor(options: HashThreadOptions) {
    this.#options = options;
  }

  post(block: FilledBlock): void {
    if (!this.#worker && !this.#here) this.#open();
    if (this.#here) return this.#options.onHashed(this.#here.hash(block));
    if (this.#out === 0) this.#watch();
    this.#out++;
    if (this.#waiting) this.#waiting.push(block);
    else this.#worker?.postMessage(block, [block.memory]);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #open(): void {
    const url = this.#options.url ?? new URL("./hash-worker.ts", import.meta.url);
    try {
      // Not with our own arguments: they may be a script's.
      const worker = new Worker(url, { execArgv: [] });
      worker.on("message", (hashed: HashedBlock | null) => (hashed ? this.#hashed(hashed) : this.#begun(worker)));
      // Its end follows.
      worker.on("error", () => undefined);
      worker.on("exit", () => this.#ended());
      this.#worker = worker;
    } catch {
      // The system gives no thread.
      this.#here = new HashBlocks();
    }
  }

  #begun(worker: Worker): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    this.#unheard = 0;
    for (const block of waiting) worker.postMessage(block, [block.memory]);
  }

  #hashed(block: HashedBlock): void {
    this.#out--;
    this.#unheard = 0;
    if (this.#out === 0) this.#rest();
    this.#options.onHashed(block);
  }

  /** A process doesn't end before what it waits for. */
  #watch(): void {
    this.#worker?.ref();
    this.#unheard = 0;
    this.#watching = setInterval(
      () => {
        this.#unheard++;
        if (this.#unheard === LOOKS) void this.#worker?.terminate();
      },
      (this.#options.lateMs ?? LATE_MS) / LOOKS,
    );
  }

  #rest(): void {
    clearInterval(this.#watching);
    this.#worker?.unref();
  }

  #ended(): void {
    this.#rest();
    this.#worker = null;
    const here = new HashBlocks();
    this.#here = here;
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#out = 0;
    if (waiting === null)
      return this.#options.onLost(this.#unheard >= LOOKS ? "HASH_THREAD_LATE" : "HASH_THREAD_ENDED");
    // All of them first: who hears of one may post the next.
    for (const hashed of waiting.map((block) => here.hash(block))) this.#options.onHashed(hashed);
  }
}
