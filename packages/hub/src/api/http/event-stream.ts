import type { Clock } from "@countersign/core/base";
import type { OutputEvent } from "@countersign/protocol/proposals";

export interface Told {
  readonly events: AsyncGenerator<OutputEvent>;
  /** The last event, once the others are over; none where the reader was sent away. */
  end(): Promise<{ readonly event: "end" | "problem"; readonly data: object | null } | undefined>;
  /** Called when it is over, or whoever reads has gone. */
  over(): void;
}

/** So that nobody between us takes a quiet run for a dead connection. */
const SILENCE_MS = 15_000;
const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // A proxy that collects before it passes on would undo it.
  "x-accel-buffering": "no",
};

/** Server-sent events (WHATWG HTML, 9.2), taken from the run no faster than they are read. */
export function eventStream({ events, end, over }: Told, clock: Clock): Response {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<OutputEvent>> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(":\n\n")),
      async pull(controller) {
        next ??= events.next();
        const result = await orSilence(next, clock);
        if (result === "silence") return controller.enqueue(encoder.encode(":\n\n"));
        next = undefined;
        if (!result.done) {
          const { id } = result.value;
          return controller.enqueue(encoder.encode(`id: ${id}\n${written("output", result.value)}`));
        }
        const last = await end();
        if (last) controller.enqueue(encoder.encode(written(last.event, last.data)));
        controller.close();
        over();
      },
      cancel: over,
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers: HEADERS });
}

/** JSON has no line ends, so one `data` line is enough. */
function written(event: string, data: object | null): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

async function orSilence<T>(next: Promise<T>, clock: Clock): Promise<T | "silence"> {
  const silence = Promise.withResolvers<"silence">();
  const timer = clock.after(SILENCE_MS, () => silence.resolve("silence"));
  try {
    return await Promise.race([next, silence.promise]);
  } finally {
    timer.cancel();
  }
}
