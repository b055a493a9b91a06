import {
  CLOSE,
  type Envelope,
  GATEWAY,
  RegisterAction,
  RegisteredAction,
  type RegisteredPayload,
  registeredPayloadSchema,
  SendErrorAction,
} from "@countersign/protocol/proposals";
import { Backoff } from "@countersign/protocol/wire";
import type { DeviceType } from "@countersign/vocabulary";
import {
  asGatewayError,
  GatewayError,
  type GatewayErrorCode,
  isTooLong,
  makeMessageId,
  readFrame,
  type SocketLike,
  type WebSocketConstructor,
  writeFrame,
} from "../errors/index.ts";
import { relayThrough } from "../relay/index.ts";
import { CONNECT_TIMEOUT_MS, DEFAULT_BACKOFF, type GatewayClientOptions } from "./gateway-options.ts";
import { parseSendError } from "./parse-response.ts";

/** Unsent bytes past which the other side counts as not reading. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

const CODE_OF_CLOSE: ReadonlyMap<number, GatewayErrorCode> = new Map([
  [CLOSE.unauthorized, "UNAUTHORIZED"],
  [CLOSE.replaced, "REPLACED"],
  [CLOSE.rateLimited, "LIMIT"],
  [CLOSE.tampered, "TAMPERED"],
]);

export interface ConnectionOptions {
  readonly url: string;
  readonly token: string;
  readonly deviceType: DeviceType;
  readonly deviceId: string;
  readonly webSocket: WebSocketConstructor;
  /** For opening and registering together. */
  readonly connectTimeoutMs: number;
}

export interface ConnectionEvents {
  registered(payload: RegisteredPayload): void;
  /** Only after `registered`. */
  message(envelope: Envelope): void;
  /** A text frame that isn't one of this dialect, or came when it must not. */
  dropped(): void;
  /** The last event, once. */
  lost(error: GatewayError): void;
}

/** One socket's life: open, register, messages, lost. After `close()` nothing is heard from it any more. */
export class Connection {
  readonly #events: ConnectionEvents;
  readonly #options: ConnectionOptions;
  readonly #socket: SocketLike;
  readonly #deadline: ReturnType<typeof setTimeout>;
  #phase: "registering" | "registered" | "over" = "registering";
  #socketError: unknown;
  /** What the gateway has against this registration; whether to try again is in the close code that follows. */
  #refusal: GatewayError | undefined;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
    this.#socket = openSocket(options);
    this.#deadline = setTimeout(
      () => this.#fail(this.#refusal ?? new GatewayError("TIMEOUT", "The gateway didn't answer in time")),
      options.connectTimeoutMs,
    );
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("open", () => this.#register());
    this.#socket.addEventListener("message", ({ data }) => this.#receive(data));
    // Always followed by `close`; kept because it is the only one that says what happened.
    this.#socket.addEventListener("error", (event) => {
      this.#socketError = event.error ?? event.message;
    });
    this.#socket.addEventListener("close", ({ code, reason }) => this.#closed(code, reason));
  }

  send(text: string): void {
    if (this.#socket.bufferedAmount + text.length > MAX_BUFFERED_BYTES)
      throw new GatewayError("LIMIT", `More than ${MAX_BUFFERED_BYTES} bytes wait to be sent`);
    this.#socket.send(text);
  }

  close(code = 1000): void {
    this.#phase = "over";
    clearTimeout(this.#deadline);
    this.#socket.close(code);
  }

  #register(): void {
    if (this.#phase !== "registering") return;
    const { deviceType, token, deviceId } = this.#options;
    const payload = { deviceType, token };
    this.send(writeFrame({ id: makeMessageId(), from: deviceId, to: GATEWAY, action: RegisterAction, payload }));
  }

  #receive(data: unknown): void {
    if (this.#phase === "over") return;
    if (typeof data !== "string" || isTooLong(data)) {
      // To skip it would leave the request that it may have answered to its timeout.
      this.#fail(
        new GatewayError("DISCONNECTED", "The gateway sent a frame that isn't text or too long"),
        CLOSE.badFrame,
      );
      return;
    }
    const envelope = readFrame(data);
    if (envelope && this.#phase === "registering") this.#receiveFirst(envelope);
    else if (envelope && envelope.action !== RegisteredAction) this.#events.message(envelope);
    else this.#events.dropped();
  }

  #receiveFirst({ action, payload }: Envelope): void {
    const problem = action === SendErrorAction ? parseSendError(payload) : undefined;
    if (action === RegisteredAction) this.#receiveRegistered(payload);
    else if (problem) this.#refusal = new GatewayError(problem.code, problem.message);
    else this.#events.dropped();
  }

  #receiveRegistered(payload: unknown): void {
    const registered = registeredPayloadSchema.safeParse(payload).data;
    if (registered?.deviceId !== this.#options.deviceId) {
      this.#fail(new GatewayError("INVALID_RESPONSE", "The gateway registered something else than this device"));
      return;
    }
    this.#phase = "registered";
    clearTimeout(this.#deadline);
    this.#events.registered(registered);
  }

  #closed(closeCode: number, reason: string): void {
    if (this.#phase === "over") return;
    const code = CODE_OF_CLOSE.get(closeCode) ?? this.#refusal?.code ?? "DISCONNECTED";
    const said = this.#refusal?.message ?? reason;
    const cause = this.#refusal ?? this.#socketError;
    this.#fail(new GatewayError(code, `The connection was closed (${closeCode})${said && `: ${said}`}`, { cause }));
  }

  #fail(error: GatewayError, closeCode?: number): void {
    this.close(closeCode);
    this.#events.lost(error);
  }
}

function openSocket({ url, webSocket }: ConnectionOptions): SocketLike {
  try {
    return new webSocket(url);
  } catch (cause) {
    throw new GatewayError("INVALID_PARAMS", "The gateway's url can't be opened", { cause });
  }
}

/**
 * `disconnected`: not connected and not trying; `connect()` starts. So it begins, after `disconnect()`, and when the
 * first attempt of a `connect()` failed.
 * `connecting`: the first attempt of a `connect()` is under way.
 * `connected`: registered; requests are possible.
 * `reconnecting`: the connection was lost; the client tries again by itself until `disconnect()`.
 * `closed`: the token was refused or revoked, or another client took this device's place. To come back by itself would
 * be refused again, or start a fight for the place; `connect()` still does.
 */
export type ConnectionState = "disconnected" | "connecting" | "connected" | "reconnecting" | "closed";

/** `cause` says why it is no longer connected; absent when the caller asked for the change. */
export type StateListener = (state: ConnectionState, cause?: GatewayError) => void;

interface LinkEvents {
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
