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
import type { DeviceType } from "@countersign/vocabulary";
import {
  GatewayError,
  type GatewayErrorCode,
  isTooLong,
  makeMessageId,
  readFrame,
  type SocketLike,
  type WebSocketConstructor,
  writeFrame,
} from "../errors/index.ts";
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
