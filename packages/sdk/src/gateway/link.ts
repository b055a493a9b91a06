import type { Envelope, RegisteredPayload } from "@countersign/protocol/proposals";
import { Backoff } from "@countersign/protocol/wire";
import { asGatewayError, GatewayError } from "../errors/index.ts";
import { relayThrough } from "../relay/index.ts";
import { Connection } from "./connection.ts";
import type { ConnectionState } from "./connection-state.ts";
import { CONNECT_TIMEOUT_MS, DEFAULT_BACKOFF, type GatewayClientOptions } from "./gateway-options.ts";

export interface LinkEvents {
  message(envelope: Envelope): void;
  dropped(): void;
  /** The connection that requests were under way on is gone. */
  down(error: GatewayError): void;
  state(state: ConnectionState, cause: GatewayError | undefined): void;
}

/** A connection that comes back: the same device, one socket after the other. */
export class Link {
  readonly #options: GatewayClientOptions & { readonly deviceId: string };
  readonly #events: LinkEvents;
  readonly #backoff: Backoff;
  #state: ConnectionState = "disconnected";
  #connection: Connection | undefined;
  #registered: RegisteredPayload | undefined;
  #registeredAtMs = 0;
  #waiting: PromiseWithResolvers<RegisteredPayload> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GatewayClientOptions & { readonly deviceId: string }, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
    this.#backoff = new Backoff(options.backoff ?? DEFAULT_BACKOFF, options.random);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get registered(): RegisteredPayload | undefined {
    return this.#registered;
  }

  connect(): Promise<RegisteredPayload> {
    if (this.#waiting) return this.#waiting.promise;
    if (this.#state === "connected" && this.#registered) return Promise.resolve(this.#registered);
    const waiting = Promise.withResolvers<RegisteredPayload>();
    this.#waiting = waiting;
    if (this.#state !== "reconnecting") this.#setState("connecting");
    // Unless a listener of the state has called disconnect().
    if (this.#waiting === waiting) this.#open();
    return waiting.promise;
  }

  disconnect(): void {
    this.#connection?.close();
    this.#end(new GatewayError("DISCONNECTED", "The client was disconnected"));
    this.#setState("disconnected");
  }

  send(text: string): void {
    if (this.#state !== "connected" || !this.#connection)
      throw new GatewayError("DISCONNECTED", "Not connected; nothing was sent");
    this.#connection.send(text);
  }

  #open(): void {
    clearTimeout(this.#retry);
    if (this.#connection) return;
    const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = this.#options;
    const { url, token, deviceType, deviceId } = this.#options;
    const plain = this.#options.webSocket ?? globalThis.WebSocket;
    const webSocket = this.#options.relay ? relayThrough(plain, { token, deviceType, deviceId }) : plain;
    try {
      this.#connection = new Connection(
        { url, token, deviceType, deviceId, webSocket, connectTimeoutMs },
        {
          registered: (payload) => this.#onRegistered(payload),
          message: (envelope) => this.#events.message(envelope),
          dropped: () => this.#events.dropped(),
          lost: (error) => this.#onLost(error),
        },
      );
    } catch (error) {
      this.#onLost(asGatewayError(error));
    }
  }

  #onRegistered(payload: RegisteredPayload): void {
    this.#registered = payload;
    this.#registeredAtMs = performance.now();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(payload);
    this.#setState("connected");
  }

  #onLost(error: GatewayError): void {
    const before = this.#state;
    this.#end(error);
    if (error.code === "UNAUTHORIZED" || error.code === "REPLACED") this.#setState("closed", error);
    else if (before === "connecting") this.#setState("disconnected", error);
    else {
      const upForMs = before === "connected" ? performance.now() - this.#registeredAtMs : 0;
      // Before listeners hear of it: one that calls disconnect() ends this too.
      this.#retry = setTimeout(() => this.#open(), this.#backoff.nextMs(upForMs));
      this.#setState("reconnecting", error);
    }
  }

  #end(error: GatewayError): void {
    this.#connection = undefined;
    clearTimeout(this.#retry);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
    this.#events.down(error);
  }

  #setState(state: ConnectionState, cause?: GatewayError): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#events.state(state, cause);
  }
}
