import { parentPort, type TransferListItem } from "node:worker_threads";
import type { Failed, Numbered } from "./asked-thread.ts";

interface Answering<Answer> {
  /** What of this ends the thread, and with it all that waits for it. */
  endsIt?(cause: unknown): boolean;
  /** What of an answer is handed over instead of being copied. */
  transfers?(answer: Answer): readonly TransferListItem[];
}

/** The thread's side of `AskedThread`. */
export function answerOrders<Order, Answer>(
  answer: (order: Order) => Answer,
  { endsIt = () => false, transfers = () => [] }: Answering<Answer> = {},
): void {
  parentPort?.on("message", ({ id, what }: Numbered<Order>) => {
    try {
      const answered = answer(what);
      parentPort?.postMessage({ id, what: answered } satisfies Numbered<Answer>, transfers(answered));
    } catch (cause) {
      if (endsIt(cause)) throw cause;
      const { message, code } = cause as NodeJS.ErrnoException;
      parentPort?.postMessage({ id, message, code } satisfies Failed);
    }
  });
}
