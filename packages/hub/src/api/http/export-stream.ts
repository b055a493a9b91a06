import type { Clock, Timer } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { ExportedPart } from "@countersign/receipts";

/** What is written at once: enough to be worth it, little enough to hold for every reader. */
const PIECE_BYTES = 64 * 1024;

interface Reading {
  /** Aborted when nobody may or does read any more; by us, when nothing was taken for so long. */
  readonly left: AbortController;
  readonly clock: Clock;
  readonly idleMs: number;
  /** Called when it is over, whole or not; perhaps more than once. */
  end(): void;
}

/** Parts of the ledger as bytes: read no faster than they are taken, and broken off where they aren't. */
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
