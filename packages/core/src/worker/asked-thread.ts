import { once } from "node:events";
import { type TransferListItem, Worker } from "node:worker_threads";

/** What goes to a thread and comes back, under one number. */
export interface Numbered<T> {
  readonly id: number;
  readonly what: T;
}

export interface Failed {
  readonly id: number;
  readonly message: string;
  readonly code: string | undefined;
}

interface Pending<Answer> {
  resolve(answer: Answer): void;
  reject(cause: Error): void;
}

interface ThreadOptions {
  /** What it begins with. */
  readonly data?: unknown;
  /** Told after each order: for a thread that waits for something besides. */
  wake?(): void;
  /** It has ended, whoever ended it. */
  ended?(): void;
}

/** How long a thread that was told to end may take. */
const ENDING_MS = 2_000;

/** A thread that begins with the first order, and answers each (see `answerOrders`). After its end the next order gets a new one. */
export class AskedThread<Order, Answer> {
  readonly #url: URL;
  readonly #options: ThreadOptions;
  readonly #pending = new Map<number, Pending<Answer>>();
  #thread: Worker | undefined;
  #asked = 0;

  constructor(url: URL, options: ThreadOptions = {}) {
    this.#url = url;
    this.#options = options;
  }

  /** Rejects with the `code` of what the thread threw, where it had one. */
  ask(order: Order, transferred: readonly TransferListItem[] = []): Promise<Answer> {
    this.#thread ??= this.#open();
    const thread = this.#thread;
    this.#asked += 1;
    const id = this.#asked;
    // A process doesn't end before what it waits for.
    thread.ref();
    thread.postMessage({ id, what: order } satisfies Numbered<Order>, transferred);
    this.#options.wake?.();
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** False: the next order begins a new thread, which knows nothing of what was asked before. */
  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  /** Waits until it has ended by itself, as it was told to: what it opened through the kernel is its own to close. */
  async ending(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    const patience = setTimeout(() => void thread.terminate(), ENDING_MS);
    await once(thread, "exit");
    clearTimeout(patience);
  }

  #open(): Worker {
    // Not with our own arguments: they may be a script's.
    const thread = new Worker(this.#url, { execArgv: [], workerData: this.#options.data });
    thread.on("message", (answer: Numbered<Answer> | Failed) => {
      const asked = this.#pending.get(answer.id);
      this.#pending.delete(answer.id);
      if (this.#pending.size === 0) thread.unref();
      if ("what" in answer) asked?.resolve(answer.what);
      else asked?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
    });
    let why: unknown;
    thread.on("error", (cause) => {
      why = cause;
    });
    thread.on("exit", () => this.#ended(thread, why));
    return thread;
  }

  #ended(thread: Worker, cause: unknown): void {
    if (this.#thread === thread) this.#thread = undefined;
    const error = new Error("The thread that was asked has ended", { cause });
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#options.ended?.();
  }
}
