import { AskedThread } from "@countersign/core/worker";
import { StoreError } from "../../ledger/index.ts";
import type { Looked, LookOrder } from "./look.ts";

export type ReadOrder =
  | { readonly kind: "look"; readonly path: string; readonly order: LookOrder }
  | { readonly kind: "close" };

/** What the thread answers with: an error's own code would be lost on the way. */
export type ReadAnswer =
  | { readonly kind: "looked"; readonly looked: Looked }
  | { readonly kind: "failed"; readonly code: StoreError["code"]; readonly message: string }
  | { readonly kind: "closed" };

/** More than this many people look at once, or one program asks too much. */
const MAX_WAITING = 64;

/**
 * Looks through what has ended and through the record on a thread and a connection of its own: looking through a million rows must hold up no approval.
 * One question at a time, so that one that nobody waits for any more is never put.
 */
export class ReadingThread {
  readonly #path: string;
  readonly #thread = new AskedThread<ReadOrder, ReadAnswer>(new URL("./reading-worker.ts", import.meta.url));
  #line: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isAsked = false;
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  async look<Order extends LookOrder>(order: Order, signal?: AbortSignal): Promise<Looked<Order>> {
    const answer = await this.#ask({ kind: "look", path: this.#path, order }, signal);
    if (answer.kind === "looked") return answer.looked as Looked<Order>;
    if (answer.kind === "failed") throw new StoreError(answer.code, answer.message);
    throw new StoreError("CLOSED", "The thread that reads was closed.");
  }

  /** Lets go of the database. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#line;
    if (!this.#isAsked) return;
    if (this.#thread.isRunning) await this.#thread.ask({ kind: "close" });
    await this.#thread.close();
  }

  #ask(order: ReadOrder, signal: AbortSignal | undefined): Promise<ReadAnswer> {
    if (this.#waiting >= MAX_WAITING) {
      const why = `${MAX_WAITING} questions about the history and the record wait already`;
      return Promise.reject(new StoreError("BUSY", why));
    }
    this.#waiting += 1;
    const asked = this.#line.then(async () => {
      this.#waiting -= 1;
      if (this.#isClosed) throw new StoreError("CLOSED", "The store was closed.");
      signal?.throwIfAborted();
      this.#isAsked = true;
      return await this.#thread.ask(order);
    });
    this.#line = asked.catch(() => undefined);
    return asked;
  }
}
