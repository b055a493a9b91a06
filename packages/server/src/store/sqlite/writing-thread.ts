import type { SealedBytes } from "../../ledger/sealed-bytes.ts";
import { AskedThread } from "../../threads/asked-thread.ts";
import { StoreError } from "../store.ts";
import { columnsOf, type PlacedColumns, type PlacedReceipt } from "./receipt-row.ts";

/** Receipts of one transaction, or the end. */
export type WriteOrder =
  | {
      readonly kind: "insert";
      readonly path: string;
      readonly placed: PlacedColumns;
      readonly sealed: SealedBytes;
    }
  | { readonly kind: "close" };

/** What the thread answers with: an error's own code would be lost on the way. */
export type Written =
  /** `before`: the number of the receipt before them. */
  | { readonly kind: "written"; readonly before: number }
  | { readonly kind: "failed"; readonly code: StoreError["code"]; readonly message: string }
  | { readonly kind: "closed" };

/**
 * A connection of another thread's, which waits for the disk while this one goes on. SQLite takes one writer at a time: whoever asks has seen to it
 * that nobody else writes meanwhile. Where the thread dies in between, nobody knows whether they are on disk: they are told as failed, and read
 * from there again.
 */
export class WritingThread {
  readonly #path: string;
  readonly #thread = new AskedThread<WriteOrder, Written>(new URL("./writing-worker.ts", import.meta.url));
  #isAsked = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Durable when it resolves: all of them, or none. Returns the number of the receipt before them. Takes the bytes with it. */
  async insert(placed: readonly PlacedReceipt[], sealed: SealedBytes): Promise<number> {
    this.#isAsked = true;
    const order = { kind: "insert", path: this.#path, placed: columnsOf(placed), sealed } as const;
    const answer = await this.#thread.ask(order, [sealed.bytes.buffer]);
    if (answer.kind === "written") return answer.before;
    if (answer.kind === "failed") throw new StoreError(answer.code, answer.message);
    throw new StoreError("CLOSED", "The thread that writes was closed.");
  }

  /** Lets go of the database. */
  async close(): Promise<void> {
    if (!this.#isAsked) return;
    await this.#thread.ask({ kind: "close" });
    await this.#thread.close();
  }
}
