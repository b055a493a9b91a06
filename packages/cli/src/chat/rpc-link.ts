import { CliError } from "../cli-error.ts";
import type { HttpHub } from "../connect/find-hub.ts";
import { readAnswer, type Schema } from "../connect/read-answer.ts";

interface Waiting {
  resolve(result: unknown): void;
  reject(error: CliError): void;
}

interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly type?: string;
}

export interface RpcEvent {
  readonly event: string;
  readonly data: unknown;
}

interface RpcEvents {
  event(frame: RpcEvent): void;
  /** Once; nothing comes after it. */
  closed(): void;
}

const NOT_FOUND = -32_602;

/** One connection in the hub's RPC dialect. */
export class RpcLink {
  readonly #socket: WebSocket;
  readonly #events: RpcEvents;
  readonly #waiting = new Map<string, Waiting>();
  #ids = 0;

  private constructor(socket: WebSocket, events: RpcEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data)) as Frame));
    socket.addEventListener("close", () => this.#end());
  }

  static async open({ url, token }: HttpHub, events: RpcEvents): Promise<RpcLink> {
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refused = ({ code = 0 }: { code?: number }) => {
      const message =
        code === 4401
          ? "The hub doesn't take this token. Check COUNTERSIGN_TOKEN, or unset it to use the home's own."
          : `The hub at ${url} can't be reached. Check that it runs.`;
      reject(new CliError(code === 4401 ? "UNAUTHORIZED" : "UNREACHABLE", message));
    };
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "auth", token })), { once: true });
    socket.addEventListener("message", () => resolve(), { once: true });
    socket.addEventListener("close", (event) => refused(event), { once: true });
    socket.addEventListener("error", () => refused({}), { once: true });
    await promise;
    return new RpcLink(socket, events);
  }

  call<T>(method: string, params: object, schema: Schema<T>): Promise<T> {
    this.#ids += 1;
    const id = String(this.#ids);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ id, method, params }));
    else this.#end();
    return promise.then((result) => readAnswer(result, schema));
  }

  close(): void {
    this.#socket.close();
  }

  #take({ id, event, result, error, ...rest }: Frame): void {
    if (event !== undefined) return this.#events.event({ event, data: (rest as { data?: unknown }).data });
    const waiting = this.#waiting.get(id ?? "");
    if (!waiting) return;
    this.#waiting.delete(id ?? "");
    if (error) waiting.reject(new CliError(error.code === NOT_FOUND ? "INVALID_PARAMS" : "INTERNAL", error.message));
    else waiting.resolve(result);
  }

  #end(): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new CliError("HUB_GONE", "The connection to the hub is lost."));
    }
    this.#waiting.clear();
    this.#events.closed();
  }
}
