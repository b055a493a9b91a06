import { AskedThread } from "../../../threads/asked-thread.ts";
import type { Activity, HistoryPage, HistoryWish } from "../../history.ts";
import { StoreError } from "../../store.ts";

export type ReadOrder =
  | { readonly kind: "search"; readonly path: string; readonly wish: HistoryWish }
  | { readonly kind: "activity"; readonly path: string; readonly fromMs: number }
  | { readonly kind: "close" };

/** What the thread answers with: an error's own code would be lost on the way. */
export type ReadAnswer =
  | { readonly kind: "page"; readonly page: HistoryPage }
  | { readonly kind: "activity"; readonly activity: Activity }
  | { readonly kind: "failed"; readonly code: StoreError["code"]; readonly message: string }
  | { readonly kind: "closed" };

/** More than this many people type at once, or one program asks too much. */
const MAX_WAITING = 64;

/**
 * Looks through what has ended on a thread and a connection of its own: looking through a million rows must hold up no approval. One question at
 * a time, so that one that nobody waits for any more is never put.
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

  async search(wish: HistoryWish, signal?: AbortSignal): Promise<HistoryPage> {
    const answer = await this.#ask({ kind: "search", path: this.#path, wish }, signal);
    if (answer.kind === "page") return answer.page;
    throw refused(answer);
  }

  async activity(fromMs: number, signal?: AbortSignal): Promise<Activity> {
    const answer = await this.#ask({ kind: "activity", path: this.#path, fromMs }, signal);
    if (answer.kind === "activity") return answer.activity;
    throw refused(answer);
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
      return Promise.reject(new StoreError("BUSY", `${MAX_WAITING} questions about the history wait already`));
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

function refused(answer: ReadAnswer): StoreError {
  if (answer.kind === "failed") return new StoreError(answer.code, answer.message);
  return new StoreError("CLOSED", "The thread that reads was closed.");
}
