import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { goEncode } from "./go-encode.ts";

/** What execd calls server-sent events: bare JSON and an empty line, no `data:`. */
export interface StreamEvent {
  readonly type:
    | "init"
    | "status"
    | "error"
    | "stdout"
    | "stderr"
    | "result"
    | "execution_complete"
    | "execution_count"
    | "ping";
  readonly text?: string | undefined;
  readonly execution_count?: number | undefined;
  readonly execution_time?: number | undefined;
  readonly results?: Readonly<Record<string, unknown>> | undefined;
  readonly error?: { readonly ename: string; readonly evalue: string; readonly traceback: readonly string[] | null };
}

const PING_EVERY_MS = 3_000;
/** A stock execd holds the answer open so long after the end, so that slow readers get all of it. */
export const TAIL_MS = 1_000;

/** Events to one client. A client that is gone isn't written to; what it started goes on. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #maxUnreadBytes: number;
  #pings: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, maxUnreadBytes: number) {
    this.#response = response;
    this.#maxUnreadBytes = maxUnreadBytes;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      ...(response.shouldKeepAlive && { connection: "keep-alive" }),
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
    response.once("close", () => clearInterval(this.#pings));
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** Calls back when the client leaves before the end; the answer takes that back. */
  onGone(gone: () => void): () => void {
    const listener = () => {
      if (!this.#response.writableEnded) gone();
    };
    this.#response.once("close", listener);
    return () => this.#response.off("close", listener);
  }

  /** The first event names what runs; from then on there are pings, the first at once. */
  init(id: string): void {
    this.send({ type: "init", text: id });
    const ping = () => this.send({ type: "ping", text: "pong" });
    ping();
    this.#pings = setInterval(ping, PING_EVERY_MS);
  }

  /** In the order in which Go's struct has its fields, without those that are empty or 0. */
  send({ type, text, execution_count, execution_time, results, error }: StreamEvent): void {
    if (this.isGone) return;
    const fields = {
      type,
      text: text || undefined,
      execution_count: execution_count || undefined,
      execution_time: execution_time || undefined,
      timestamp: Date.now(),
      results,
      error,
    };
    this.#response.write(`${goEncode(fields)}\n\n`);
  }

  /** Resolves when the client has taken enough to be sent more; at once when it is gone. */
  async whenTaken(): Promise<void> {
    while (!this.isGone && this.#response.writableLength > this.#maxUnreadBytes) {
      const gone = new AbortController();
      const { signal } = gone;
      await Promise.race([once(this.#response, "drain", { signal }), once(this.#response, "close", { signal })]).catch(
        () => undefined,
      );
      gone.abort();
    }
  }

  /** Ends it after the tail, during which a ping may still come. */
  async close(tailMs: number): Promise<void> {
    if (!this.isGone && tailMs > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, tailMs);
      this.#response.once("close", resolve);
      await promise;
      clearTimeout(timer);
    }
    clearInterval(this.#pings);
    if (!this.isGone) this.#response.end();
  }
}
