import { parentPort } from "node:worker_threads";
import type { Failed, Numbered } from "./asked-thread.ts";

/** The thread's side of `AskedThread`. What `endsIt` says of ends the thread, and with it all that waits for it. */
export function answerOrders<Order, Answer>(
  answer: (order: Order) => Answer,
  endsIt: (cause: unknown) => boolean = () => false,
): void {
  parentPort?.on("message", ({ id, what }: Numbered<Order>) => {
    try {
      parentPort?.postMessage({ id, what: answer(what) } satisfies Numbered<Answer>);
    } catch (cause) {
      if (endsIt(cause)) throw cause;
      const { message, code } = cause as NodeJS.ErrnoException;
      parentPort?.postMessage({ id, message, code } satisfies Failed);
    }
  });
}
