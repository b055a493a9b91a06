import { Backoff } from "@countersign/protocol/wire";
import { RpcError, type RpcEvent, RpcLink } from "@countersign/sdk";
import { type ReadonlySignal, signal } from "@preact/signals";
import type * as z from "zod";

export { RpcError, type RpcEvent };
export type RpcState = "connecting" | "live" | "away" | "refused";

const BACKOFF = { minMs: 500, maxMs: 10_000 };

/** Client of the hub's RPC dialect, which chats use. Reconnects until it is closed. */
export class RpcClient {
  readonly #token: string;
  readonly #backoff = new Backoff(BACKOFF);
  readonly #state = signal<RpcState>("connecting");
  readonly #listeners = new Set<(event: RpcEvent) => void>();
  readonly #over = new AbortController();
  #link: RpcLink | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #upSinceMs: number | undefined;

  constructor(token: string) {
    this.#token = token;
    this.#connect();
  }

  get state(): ReadonlySignal<RpcState> {
    return this.#state;
  }

  onEvent(listener: (event: RpcEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async call<T>(method: string, params: object, schema: z.ZodType<T>): Promise<T> {
    if (this.#link === undefined) throw new RpcError("DISCONNECTED", "There's no connection to the hub.");
    return await this.#link.call(method, params, schema);
  }

  /** Retries now instead of when the next attempt is due. */
  retry(): void {
    if (this.#retry === undefined) return;
    clearTimeout(this.#retry);
    this.#connect();
  }

  close(): void {
    this.#over.abort();
    clearTimeout(this.#retry);
    this.#link?.close();
  }

  #connect(): void {
    this.#retry = undefined;
    const events = {
      event: (event: RpcEvent) => {
        for (const listener of this.#listeners) listener(event);
      },
      closed: (why: RpcError) => this.#lost(why),
    };
    RpcLink.open({ url: location.origin, token: this.#token }, events, this.#over.signal).then(
      (link) => {
        this.#link = link;
        this.#upSinceMs = performance.now();
        this.#state.value = "live";
      },
      (cause: unknown) => {
        if (!(cause instanceof RpcError)) throw cause;
        this.#lost(cause);
      },
    );
  }

  #lost({ code }: RpcError): void {
    this.#link = undefined;
    if (this.#over.signal.aborted) return;
    const upForMs = this.#upSinceMs === undefined ? 0 : performance.now() - this.#upSinceMs;
    this.#upSinceMs = undefined;
    if (code === "UNAUTHORIZED") {
      this.#state.value = "refused";
      return;
    }
    this.#state.value = "away";
    this.#retry = setTimeout(() => this.#connect(), this.#backoff.nextMs(upForMs));
  }
}
