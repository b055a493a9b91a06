import {
  type Envelope,
  GATEWAY,
  type RegisteredPayload,
  RequestAction,
  ResponseAction,
  SendErrorAction,
} from "@countersign/protocol/proposals";
import type { MethodName, MethodParams, MethodResult } from "@countersign/protocol/wire";
import { asGatewayError, GatewayError, makeMessageId, writeFrame } from "../errors/index.ts";
import { type ConnectionState, Link, type StateListener } from "./connection.ts";
import { DeliveredApprovals } from "./delivered-approvals.ts";
import { deviceIdOf, type GatewayClientOptions, type RequestOptions, timeoutOf } from "./gateway-options.ts";
import { Listeners, reportUncaught } from "./listeners.ts";
import { checkResult, parseResponse, parseSendError } from "./parse-response.ts";
import { PendingRequests } from "./pending-requests.ts";

export type MessageListener = (message: Envelope) => void;

/** A device of the envelope dialect. Messages are JSON of others: what a listener shows, it must show as text. */
export class GatewayClient {
  readonly deviceId: string;
  readonly #options: GatewayClientOptions;
  readonly #link: Link;
  readonly #pending = new PendingRequests();
  readonly #delivered = new DeliveredApprovals();
  readonly #messageListeners: Listeners<[Envelope]>;
  readonly #stateListeners: Listeners<Parameters<StateListener>>;
  #droppedFrames = 0;

  constructor(options: GatewayClientOptions) {
    this.deviceId = deviceIdOf(options);
    this.#options = options;
    const report = options.onListenerError ?? reportUncaught;
    this.#messageListeners = new Listeners(report);
    this.#stateListeners = new Listeners(report);
    this.#link = new Link(
      { ...options, deviceId: this.deviceId },
      {
        message: (envelope) => this.#onMessage(envelope),
        dropped: () => this.#drop(),
        down: (error) => this.#onDown(error),
        state: (state, cause) => this.#stateListeners.emit(state, cause),
      },
    );
  }

  get state(): ConnectionState {
    return this.#link.state;
  }

  /** The hub that decides, once registered; a later registration may name another. */
  get hubDeviceId(): string | undefined {
    return this.#link.registered?.hubDeviceId;
  }

  /** Frames that could not be understood or answered nothing; more than a few point to another version or worse. */
  get droppedFrames(): number {
    return this.#droppedFrames;
  }

  /**
   * Resolves when registered. Rejects when this attempt fails: UNAUTHORIZED for a refused token. While `reconnecting` it
   * tries at once; should that fail, the client goes on trying by itself.
   */
  connect(): Promise<RegisteredPayload> {
    return this.#link.connect();
  }

  /** Requests under way reject with DISCONNECTED. `connect()` may be called again. */
  disconnect(): void {
    this.#link.disconnect();
  }

  /**
   * Every message to this device except answers to its requests. A replayed approval that listeners have already been
   * given, and that wasn't settled since, isn't given again. Subscribe before `connect()`: the replay follows at once.
   */
  onMessage(listener: MessageListener): () => void {
    return this.#messageListeners.add(listener);
  }

  onStateChange(listener: StateListener): () => void {
    return this.#stateListeners.add(listener);
  }

  /** The message's id: a `send-error` that comes for it is a message with that `messageId`. */
  send(to: string, action: string, payload: unknown): string {
    const id = makeMessageId();
    this.#link.send(writeFrame({ id, from: this.deviceId, to, action, payload }));
    return id;
  }

  /** The inner payload of the answer. A request is sent once, never repeated: see `GatewayErrorCode`. */
  request<M extends MethodName>(
    to: string,
    method: M,
    params: MethodParams<M>,
    options?: RequestOptions,
  ): Promise<MethodResult<M>>;
  request<Name extends string>(
    to: string,
    method: Name extends MethodName ? never : Name,
    params?: unknown,
    options?: RequestOptions,
  ): Promise<unknown>;
  async request(to: string, method: string, params?: unknown, options: RequestOptions = {}): Promise<unknown> {
    const id = makeMessageId();
    const timeoutMs = options.timeoutMs ?? timeoutOf(method, this.#options);
    const answer = this.#pending.add(id, { to, timeoutMs, signal: options.signal });
    try {
      const payload = { requestId: id, method, params };
      this.#link.send(writeFrame({ id, from: this.deviceId, to, action: RequestAction, payload }));
    } catch (error) {
      this.#pending.reject(id, asGatewayError(error));
    }
    return checkResult(method, await answer);
  }

  #onDown(cause: GatewayError): void {
    const lost = "The connection was lost before an answer came; the hub may have done it";
    this.#pending.rejectAll(new GatewayError("DISCONNECTED", lost, { cause }));
  }

  #onMessage(envelope: Envelope): void {
    if (envelope.action === ResponseAction) {
      this.#onResponse(envelope);
    } else if (envelope.action !== SendErrorAction || !this.#onSendError(envelope)) {
      // What nobody hears isn't delivered: it must come with the next replay.
      const heard = this.#messageListeners.size > 0 && this.#delivered.isNews(envelope);
      if (heard) this.#messageListeners.emit(envelope);
    }
  }

  #onResponse({ from, payload }: Envelope): void {
    const answer = parseResponse(payload);
    if (!answer || this.#pending.recipientOf(answer.requestId) !== from) this.#drop();
    else if ("error" in answer) this.#pending.reject(answer.requestId, answer.error);
    else this.#pending.resolve(answer.requestId, answer.payload);
  }

  /** Whether it ended a request; else it is about a `send()`, and for the listeners. */
  #onSendError({ from, payload }: Envelope): boolean {
    const problem = parseSendError(payload);
    if (!problem) return false;
    // A request's id is its message's id too.
    for (const id of [problem.requestId, problem.messageId]) {
      const to = id === undefined ? undefined : this.#pending.recipientOf(id);
      // Only the relay or the recipient can know that it wasn't taken.
      if (id === undefined || to === undefined || ![GATEWAY, to].includes(from)) continue;
      this.#pending.reject(id, new GatewayError(problem.code, problem.message));
      return true;
    }
    return false;
  }

  #drop(): void {
    this.#droppedFrames += 1;
  }
}
