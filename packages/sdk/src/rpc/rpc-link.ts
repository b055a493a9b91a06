import { CLOSE, MAX_FRAME_BYTES } from "@countersign/protocol/proposals";
import * as z from "zod";

/**
 * `code` is the dialect's number, or ours: UNAUTHORIZED, the token isn't taken; UNREACHABLE, nobody listens there; DISCONNECTED, the connection
 * is gone and no answer came; LIMIT, too many calls wait; BAD_ANSWER, one came that isn't in the wire's form.
 */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number | "UNAUTHORIZED" | "UNREACHABLE" | "DISCONNECTED" | "LIMIT" | "BAD_ANSWER";

  constructor(code: RpcError["code"], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export interface RpcEvent {
  readonly event: string;
  readonly data: unknown;
}

interface RpcLinkEvents {
  event(frame: RpcEvent): void;
  /** Once, where it had been opened, also by `close`; nothing comes after it. UNAUTHORIZED: the token isn't taken any more. */
  closed(why: RpcError): void;
}

/** The part of a zod schema that reading an answer needs. */
interface Reads<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false };
}

const frameSchema = z.union([
  z.object({ type: z.literal("auth"), ok: z.literal(true) }),
  z.object({ event: z.string(), data: z.unknown() }),
  z.object({ id: z.string(), result: z.unknown() }),
  z.object({ id: z.string().nullable(), error: z.object({ code: z.number(), message: z.string() }) }),
]);
type Frame = z.infer<typeof frameSchema>;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: RpcError): void;
}

/** Who asks more at once has lost its way. */
const MOST_CALLS = 64;
/** Every call of this dialect answers at once: a socket on which none comes is dead, whatever it says. */
const ANSWER_MS = 20_000;

/** One connection in the hub's second dialect, at `/`, in which people talk to its agents. It doesn't come back by itself. */
export class RpcLink {
  readonly #socket: WebSocket;
  readonly #events: RpcLinkEvents;
  readonly #waiting = new Map<string, Waiting>();
  readonly #opened = Promise.withResolvers<void>();
  #state: "opening" | "open" | "closed" = "opening";
  #ids = 0;

  private constructor(hub: { readonly url: string; readonly token: string }, events: RpcLinkEvents) {
    this.#events = events;
    const socket = new WebSocket(`${hub.url.replace(/^http/, "ws")}/`);
    this.#socket = socket;
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "auth", token: hub.token })));
    socket.addEventListener("message", ({ data }) => this.#take(data));
    socket.addEventListener("close", ({ code }) => this.#end(code));
    socket.addEventListener("error", () => this.#end());
  }

  /** `url` is the hub's address as HTTP has it. Rejects with an RpcError. `signal` gives up before it is open. */
  static async open(
    hub: { readonly url: string; readonly token: string },
    events: RpcLinkEvents,
    signal?: AbortSignal,
  ): Promise<RpcLink> {
    const link = new RpcLink(hub, events);
    signal?.addEventListener("abort", () => link.#state === "opening" && link.close(), { once: true });
    await link.#opened.promise;
    return link;
  }

  async call<T>(method: string, params: object, schema: Reads<T>): Promise<T> {
    if (this.#state !== "open") throw new RpcError("DISCONNECTED", "There's no connection to the hub.");
    if (this.#waiting.size >= MOST_CALLS) throw new RpcError("LIMIT", "Too many calls wait for the hub.");
    this.#ids += 1;
    const id = `${this.#ids}`;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    this.#socket.send(JSON.stringify({ id, method, params }));
    const late = setTimeout(() => this.close(), ANSWER_MS);
    const read = schema.safeParse(await promise.finally(() => clearTimeout(late)));
    if (read.success) return read.data;
    throw new RpcError("BAD_ANSWER", "The hub's answer can't be read.");
  }

  close(): void {
    this.#socket.close();
    // Not by closing alone: that waits for the other side.
    this.#end();
  }

  #take(data: unknown): void {
    const frame = readFrame(data);
    if (frame === undefined || this.#state === "closed") return;
    if ("type" in frame) {
      this.#state = "open";
      this.#opened.resolve();
    } else if ("event" in frame) this.#events.event(frame);
    else this.#answer(frame);
  }

  #answer(frame: Extract<Frame, { id: unknown }>): void {
    const waiting = this.#waiting.get(frame.id ?? "");
    if (waiting === undefined) return;
    this.#waiting.delete(frame.id ?? "");
    if ("error" in frame) waiting.reject(new RpcError(frame.error.code, frame.error.message));
    else waiting.resolve(frame.result);
  }

  #end(code?: number): void {
    if (this.#state === "closed") return;
    const wasOpen = this.#state === "open";
    this.#state = "closed";
    const lost = new RpcError("DISCONNECTED", "The connection was lost before the hub answered.");
    for (const { reject } of this.#waiting.values()) reject(lost);
    this.#waiting.clear();
    const isRefused = code === CLOSE.unauthorized;
    const refused = new RpcError("UNAUTHORIZED", "The hub doesn't take this token.");
    if (wasOpen) this.#events.closed(isRefused ? refused : lost);
    else this.#opened.reject(isRefused ? refused : new RpcError("UNREACHABLE", "The hub can't be reached."));
  }
}

function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== "string" || data.length > MAX_FRAME_BYTES) return undefined;
  try {
    return frameSchema.safeParse(JSON.parse(data)).data;
  } catch {
    // Not of this dialect: passed over, like any other frame that can't be read.
    return undefined;
  }
}
