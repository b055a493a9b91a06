import { randomUUID } from "node:crypto";
import type { Message } from "../../proxies/index.ts";

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: Error) => void;
  readonly timer: NodeJS.Timeout;
}

const PATIENCE_MS = 30_000;

/** Requests that are ours and not the client's: under ids that no client has. */
export class OwnRequests {
  readonly #send: (text: string) => Promise<void>;
  readonly #prefix = `countersign-${randomUUID()}-`;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;

  constructor(send: (text: string) => Promise<void>) {
    this.#send = send;
  }

  async ask(method: string, params: object): Promise<unknown> {
    this.#count += 1;
    const id = `${this.#prefix}${this.#count}`;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => this.#settle(id)?.reject(new Error("it didn't answer in time")), PATIENCE_MS);
    this.#waiting.set(id, { resolve, reject, timer });
    await this.#send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return await promise;
  }

  /** Whether the response was one of ours. A late one is still ours. */
  take({ id, result, error }: Message): boolean {
    if (typeof id !== "string" || !id.startsWith(this.#prefix)) return false;
    const waiting = this.#settle(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(messageOf(error)));
    return true;
  }

  close(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(new Error("it has ended"));
  }

  #settle(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(id);
    return waiting;
  }
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message.slice(0, 200) : "it answered with an error";
}
