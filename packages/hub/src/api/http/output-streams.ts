import type { Clock } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { followOutputParamsSchema, type OutputEvent } from "@countersign/protocol/proposals";
import type { Hub } from "../../hub/index.ts";
import type { Tokens } from "../../identity/index.ts";
import { followOutput, withoutOutput } from "../../runs/index.ts";
import { problemOf } from "../index.ts";
import type { HttpContext } from "./route.ts";

/** Outputs of runs as server-sent events. A stream ends when its connection is closed or its token revoked. */
export class OutputStreams {
  readonly #hub: Hub;
  readonly #tokens: Tokens;
  readonly #clock: Clock;

  constructor(hub: Hub, tokens: Tokens, clock: Clock) {
    this.#hub = hub;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  /** Streams a run's output, from the start or after `Last-Event-ID`. */
  async follow(c: HttpContext, proposalId: string): Promise<Response> {
    const { after } = readOrRefuse(followOutputParamsSchema, { proposalId, after: c.req.header("last-event-id") });
    return await this.#untilOver(c, async (signal, over) => {
      const { events, outcome } = await this.#hub.followers.follow(proposalId, c.var.identity, { after, signal });
      const end = async () => (signal.aborted ? undefined : ({ event: "end", data: outcome() ?? null } as const));
      return eventStream({ events, end, over }, this.#clock);
    });
  }

  /** Proposes a command, then streams the run's output and its outcome. */
  async propose(c: HttpContext, params: unknown): Promise<Response> {
    const hub = this.#hub;
    return await this.#untilOver(c, async (signal, over) => {
      const { output, outcome } = await hub.proposals.proposeFollowed(params, c.var.identity, signal);
      const end = () =>
        outcome.then(
          (known) => ({ event: "end", data: withoutOutput(known) }) as const,
          (cause) => (signal.aborted ? undefined : ({ event: "problem", data: problemOf(cause, hub.log) } as const)),
        );
      return eventStream({ events: followOutput(output, { signal }), end, over }, this.#clock);
    });
  }

  /** Aborts when the connection is closed or its token revoked. */
  async #untilOver(
    c: HttpContext,
    open: (signal: AbortSignal, over: () => void) => Promise<Response>,
  ): Promise<Response> {
    const left = new AbortController();
    const over = () => left.abort();
    const forget = this.#tokens.onRevoked((id) => {
      if (id === c.var.identity.id) over();
    });
    left.signal.addEventListener("abort", forget, { once: true });
    c.req.raw.signal.addEventListener("abort", over, { once: true });
    try {
      return await open(left.signal, over);
    } catch (cause) {
      over();
      throw cause;
    }
  }
}

interface OutputStream {
  readonly events: AsyncGenerator<OutputEvent>;
  /** The last event. Undefined if the reader was cut off. */
  end(): Promise<{ readonly event: "end" | "problem"; readonly data: object | null } | undefined>;
  /** Called at the end, or when the reader has gone. */
  over(): void;
}

/** Sends a comment in silence, so that no proxy takes a quiet run for a dead connection. */
const SILENCE_MS = 15_000;
const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // Keeps proxies from buffering the stream.
  "x-accel-buffering": "no",
};

/** Returns server-sent events (WHATWG HTML, 9.2), read from the run no faster than they are taken. */
function eventStream({ events, end, over }: OutputStream, clock: Clock): Response {
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
