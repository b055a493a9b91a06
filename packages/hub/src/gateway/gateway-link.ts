import type { Clock, Limits, Log, Timer } from "@countersign/core/base";
import {
  gatewayChallenge,
  RelayChallengeAction,
  RelayProofAction,
  relayChallengePayloadSchema,
} from "@countersign/protocol/access";
import {
  type Envelope,
  envelopeSchema,
  GATEWAY,
  RegisterAction,
  RegisteredAction,
} from "@countersign/protocol/proposals";
import { Backoff, type BackoffOptions } from "@countersign/protocol/wire";
import { parseJson } from "@countersign/receipts";
import { uuidv7 } from "uuidv7";
import WebSocket from "ws";
import { Connection } from "../api/ws/index.ts";
import type { HubKey } from "../identity/index.ts";
import { forMany } from "./switchboard.ts";

interface GatewayLinkOptions {
  readonly url: string;
  readonly deviceId: string;
  readonly hubKey: HubKey;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Log;
  readonly backoff?: BackoffOptions;
}

interface LinkEvents {
  /** Called with each frame after registration. */
  message(envelope: Envelope): void;
  /** Called when the gateway is out of reach. Everything that used it has ended. */
  down(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_BACKOFF: BackoffOptions = { minMs: 500, maxMs: 30_000 };

/** The hub's connection to its gateway. Reconnects until it is closed. */
export class GatewayLink {
  readonly #url: string;
  readonly #deviceId: string;
  readonly #hubKey: HubKey;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #events: LinkEvents;
  readonly #backoff: Backoff;
  #ws: WebSocket | undefined;
  #connection: Connection | undefined;
  #registeredAtMs: number | undefined;
  #retry: Timer | undefined;
  #closed = false;

  constructor({ url, deviceId, hubKey, clock, limits, log, backoff }: GatewayLinkOptions, events: LinkEvents) {
    this.#url = url;
    this.#deviceId = deviceId;
    this.#hubKey = hubKey;
    this.#clock = clock;
    this.#limits = limits;
    this.#log = log;
    this.#events = events;
    this.#backoff = new Backoff(backoff ?? DEFAULT_BACKOFF);
    this.#open();
  }

  /** Returns false if it isn't registered or the gateway doesn't read: then the frame wasn't sent. */
  send(to: string, action: string, payload: object): boolean {
    if (this.#registeredAtMs === undefined) return false;
    return this.#write(to, action, payload);
  }

  /** Resolves when the socket has ended. Frames sent before still go out. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retry?.cancel();
    const ws = this.#ws;
    if (!ws || ws.readyState === WebSocket.CLOSED) return;
    const ended = new Promise((resolve) => ws.once("close", resolve));
    if (this.#connection) this.#connection.close(1000, "the hub is shutting down");
    else ws.terminate();
    await ended;
  }

  #open(): void {
    const ws = new WebSocket(this.#url, {
      maxPayload: this.#limits.frameBytes,
      perMessageDeflate: false,
      handshakeTimeout: CONNECT_TIMEOUT_MS,
    });
    this.#ws = ws;
    let cause: unknown;
    const deadline = this.#clock.after(CONNECT_TIMEOUT_MS, () => ws.terminate());
    ws.on("error", (error) => {
      cause = error;
    });
    ws.once("open", () => {
      const connection = new Connection(ws, { clock: this.#clock, limits: forMany(this.#limits) });
      this.#connection = connection;
      connection.onText((text) => this.#take(text, () => deadline.cancel()));
      const { publicKey } = this.#hubKey;
      this.#write(GATEWAY, RegisterAction, { deviceType: "hub", relay: true, hubKey: publicKey });
    });
    ws.once("close", (code, reason) => {
      deadline.cancel();
      const upForMs = this.#registeredAtMs === undefined ? 0 : this.#clock.monotonicMs() - this.#registeredAtMs;
      this.#connection = undefined;
      this.#registeredAtMs = undefined;
      this.#events.down();
      if (this.#closed) return;
      this.#log.warn(
        { gateway: this.#url, code, reason: reason.toString(), err: cause },
        "the gateway is out of reach",
      );
      this.#retry = this.#clock.after(this.#backoff.nextMs(upForMs), () => this.#open());
    });
  }

  #take(text: string, registered: () => void): void {
    const envelope = readEnvelope(text);
    if (!envelope) return;
    if (this.#registeredAtMs !== undefined) return this.#events.message(envelope);
    const challenge =
      envelope.action === RelayChallengeAction
        ? relayChallengePayloadSchema.safeParse(envelope.payload).data
        : undefined;
    if (challenge) {
      const signature = this.#hubKey.sign(gatewayChallenge(challenge.nonce, this.#deviceId));
      this.#write(GATEWAY, RelayProofAction, { signature });
    } else if (envelope.action === RegisteredAction) {
      registered();
      this.#registeredAtMs = this.#clock.monotonicMs();
      this.#log.info({ gateway: this.#url, hubKey: this.#hubKey.publicKey }, "registered with the gateway");
    }
  }

  #write(to: string, action: string, payload: object): boolean {
    return this.#connection?.send({ id: uuidv7(), from: this.#deviceId, to, action, payload }) ?? false;
  }
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    return envelopeSchema.safeParse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}
