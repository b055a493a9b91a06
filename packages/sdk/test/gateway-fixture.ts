import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import {
  CLOSE,
  type Envelope,
  ExecApprovalRequestAction,
  type ExecApprovalRequestPayload,
  envelopeSchema,
  GATEWAY,
  type RequestPayload,
  registerPayloadSchema,
  requestPayloadSchema,
} from "@countersign/protocol/proposals";
import { type WebSocket, WebSocketServer } from "ws";
import { makeMessageId } from "../src/errors/message-id.ts";
import { GatewayClient } from "../src/gateway/gateway-client.ts";
import type { GatewayClientOptions } from "../src/gateway/gateway-options.ts";

export const TOKEN = "test-token-of-alice";
export const HUB = "hub-1";

export interface Peer {
  readonly deviceId: string;
  readonly socket: WebSocket;
  /** A frame from the hub, or from another. */
  push(action: string, payload: unknown, from?: string): void;
}

export interface Asked extends RequestPayload {
  readonly peer: Peer;
  readonly envelope: Envelope;
  answer(payload: unknown): void;
  refuse(code: string, message: string): void;
}

type Handler = (asked: Asked) => void;

/** A gateway with a hub in it, that speaks the envelope dialect over real sockets and misbehaves when told to. */
export class GatewayFixture {
  readonly #events = new EventEmitter<{ registered: [Peer]; request: [Asked]; attempt: [WebSocket] }>();
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: 2 ** 25 });
  /** Replayed to whoever registers. */
  readonly pending = new Map<string, ExecApprovalRequestPayload>();
  /** Every frame that could be read, in the order in which it came. */
  readonly received: Envelope[] = [];
  readonly peers = new Map<string, Peer>();
  /** How many times a socket was opened. */
  attempts = 0;
  /** What becomes of a socket instead of being listened to. */
  greet: ((socket: WebSocket) => void) | undefined;
  /** Methods without a handler here are only announced (`nextRequest`) and stay unanswered. */
  handlers = new Map<string, Handler>();

  private constructor(serveHttp: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#http = createServer(serveHttp);
    this.#http.on("upgrade", (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#greet(opened));
    });
  }

  static async start(
    t: TestContext,
    serveHttp: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end(),
  ): Promise<GatewayFixture> {
    const fixture = new GatewayFixture(serveHttp);
    await fixture.listen(0);
    t.after(() => fixture.stop());
    return fixture;
  }

  async listen(port: number): Promise<void> {
    this.#http.listen(port, "127.0.0.1");
    await once(this.#http, "listening");
  }

  async stop(): Promise<void> {
    this.cut();
    this.#http.closeAllConnections();
    if (!this.#http.listening) return;
    this.#http.close();
    await once(this.#http, "close");
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/ws`;
  }

  /** A client that comes back within a few milliseconds, and goes with the test. */
  client(t: TestContext, options: Partial<GatewayClientOptions> = {}): GatewayClient {
    const backoff = { minMs: 1, maxMs: 8 };
    const client = new GatewayClient({ url: this.url, token: TOKEN, deviceType: "client", backoff, ...options });
    t.after(() => client.disconnect());
    return client;
  }

  /** Without a close frame, as a cable does it. */
  cut(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.peers.clear();
  }

  async nextRegistered(): Promise<Peer> {
    return (await once(this.#events, "registered"))[0];
  }

  async nextRequest(): Promise<Asked> {
    return (await once(this.#events, "request"))[0];
  }

  async nextAttempt(): Promise<WebSocket> {
    return (await once(this.#events, "attempt"))[0];
  }

  #greet(socket: WebSocket): void {
    this.attempts += 1;
    socket.on("error", () => socket.terminate());
    this.#events.emit("attempt", socket);
    if (this.greet) this.greet(socket);
    else socket.once("message", (data) => this.#register(socket, String(data)));
  }

  #register(socket: WebSocket, text: string): void {
    const envelope = envelopeSchema.parse(JSON.parse(text));
    this.received.push(envelope);
    const { token } = registerPayloadSchema.parse(envelope.payload);
    if (envelope.to !== GATEWAY || token !== TOKEN) return socket.close(CLOSE.unauthorized, "unauthorized");
    const peer: Peer = {
      deviceId: envelope.from,
      socket,
      push: (action, payload, from = HUB) =>
        socket.send(JSON.stringify({ id: makeMessageId(), from, to: envelope.from, action, payload })),
    };
    this.peers.set(peer.deviceId, peer);
    socket.on("message", (data) => this.#receive(peer, String(data)));
    peer.push("registered", { ok: true, deviceId: peer.deviceId, hubDeviceId: HUB }, GATEWAY);
    for (const approval of this.pending.values()) peer.push(ExecApprovalRequestAction, approval);
    this.#events.emit("registered", peer);
  }

  #receive(peer: Peer, text: string): void {
    const envelope = envelopeSchema.parse(JSON.parse(text));
    this.received.push(envelope);
    if (envelope.to !== HUB) {
      const requestId = requestPayloadSchema.safeParse(envelope.payload).data?.requestId;
      const code = "DEVICE_NOT_FOUND";
      peer.push("send-error", { code, message: `No ${envelope.to}`, messageId: envelope.id, requestId }, GATEWAY);
    } else if (envelope.action === "request") {
      const request = requestPayloadSchema.parse(envelope.payload);
      const { requestId } = request;
      const asked: Asked = {
        ...request,
        peer,
        envelope,
        answer: (payload) => peer.push("response", { requestId, ok: true, payload }),
        refuse: (code, message) => peer.push("response", { requestId, ok: false, error: { code, message } }),
      };
      this.handlers.get(request.method)?.(asked);
      this.#events.emit("request", asked);
    }
  }
}

export function approval(
  approvalId: string,
  more: Partial<ExecApprovalRequestPayload> = {},
): ExecApprovalRequestPayload {
  return {
    approvalId,
    agentId: "session-1",
    command: "rm -rf /tmp/test-data",
    cwd: "/work",
    riskLevel: "dangerous",
    riskReasons: ["Deletes"],
    expiresAtMs: 1_738_700_060_000,
    subject: "exec",
    agentName: "claude",
    jail: "workspace",
    enforcement: "jail",
    env: {},
    effects: [],
    proposalHash: "sha256:00",
    ...more,
  };
}
