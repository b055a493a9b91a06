import { GatewayError } from "../errors/index.ts";

const MAX_PENDING_REQUESTS = 1_000;
/** The longest wait that `setTimeout` can do; it takes a longer one for none. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

interface Pending {
  /** Only this device's answer counts. */
  readonly to: string;
  resolve(payload: unknown): void;
  reject(error: GatewayError): void;
  /** Its timer and its signal. */
  release(): void;
}

export interface Waiting {
  readonly to: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Requests under way. Each ends once: answered, refused, timed out, aborted or with its connection. */
export class PendingRequests {
  readonly #byId = new Map<string, Pending>();

  get size(): number {
    return this.#byId.size;
  }

  /** Throws, and holds nothing, when the request must not even be sent. */
  add(id: string, { to, timeoutMs, signal }: Waiting): Promise<unknown> {
    if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS))
      throw new GatewayError("INVALID_PARAMS", `timeoutMs must be more than 0 and at most ${MAX_TIMEOUT_MS}`);
    if (signal?.aborted) throw aborted(signal);
    if (this.#byId.size >= MAX_PENDING_REQUESTS)
      throw new GatewayError("LIMIT", `${MAX_PENDING_REQUESTS} requests are already under way`);

    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(
      () => this.reject(id, new GatewayError("TIMEOUT", `No answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const onAbort = () => signal && this.reject(id, aborted(signal));
    signal?.addEventListener("abort", onAbort, { once: true });
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    this.#byId.set(id, { to, resolve, reject, release });
    return promise;
  }

  /** Whom a request was sent to, while it is under way. */
  recipientOf(id: string): string | undefined {
    return this.#byId.get(id)?.to;
  }

  resolve(id: string, payload: unknown): void {
    this.#take(id)?.resolve(payload);
  }

  reject(id: string, error: GatewayError): void {
    this.#take(id)?.reject(error);
  }

  rejectAll(error: GatewayError): void {
    for (const id of [...this.#byId.keys()]) this.reject(id, error);
  }

  #take(id: string): Pending | undefined {
    const pending = this.#byId.get(id);
    this.#byId.delete(id);
    pending?.release();
    return pending;
  }
}

function aborted(signal: AbortSignal): GatewayError {
  return new GatewayError("ABORTED", "The request was aborted", { cause: signal.reason });
}
