import type { Clock, Timer } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { ExportedPart } from "@countersign/receipts";

/** Size of one chunk: large enough to be efficient, small enough to hold for every reader. */
const PIECE_BYTES = 64 * 1024;

interface Reading {
  /** Aborted when reading must end. The stream aborts it itself if nothing was taken for `idleMs`. */
  readonly left: AbortController;
  readonly clock: Clock;
  readonly idleMs: number;
  /** Called at the end, complete or not, and perhaps more than once. */
  end(): void;
}

/** Streams parts of the ledger no faster than they are taken. Breaks off if nobody takes them. */
export function exportStream(parts: AsyncGenerator<ExportedPart>, reading: Reading): ReadableStream<Uint8Array> {
  const { left, clock, idleMs, end } = reading;
  const encoder = new TextEncoder();
  let idle: Timer | undefined;
  const over = () => {
    idle?.cancel();
    end();
  };
  const waitForReader = () => {
    const slow = new HubError("LIMIT", `Nothing was taken for ${idleMs} ms (limit: exportIdleMs)`);
    idle = clock.after(idleMs, () => left.abort(slow));
  };
  left.signal.addEventListener("abort", over, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        idle?.cancel();
        try {
          let text = "";
          while (text.length < PIECE_BYTES) {
            left.signal.throwIfAborted();
            const { done, value } = await parts.next();
            if (done) {
              if (text !== "") controller.enqueue(encoder.encode(text));
              controller.close();
              return over();
            }
            text += value.text;
          }
          controller.enqueue(encoder.encode(text));
          waitForReader();
        } catch (cause) {
          over();
          controller.error(cause);
        }
      },
      cancel: over,
    },
    { highWaterMark: 1 },
  );
}
