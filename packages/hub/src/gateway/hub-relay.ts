import { randomBytes } from "node:crypto";
import type { Clock, Limits, Log } from "@countersign/core/base";
import {
  RelayClosedAction,
  RelayGoneAction,
  RelayHelloAction,
  RelayRefusedAction,
  RelayWelcomeAction,
  relayGonePayloadSchema,
  relayHelloPayloadSchema,
  SealedAction,
} from "@countersign/protocol/access";
import { CLOSE, type Envelope, GATEWAY, SendErrorAction } from "@countersign/protocol/proposals";
import { deriveRelayKeys, makeRelayShare, proveHub } from "@countersign/sdk";
import type { Peer } from "../api/index.ts";
import { GOING_AWAY } from "../api/ws/index.ts";
import type { FailedLogins, HubKey } from "../identity/index.ts";
import type { ClosableServer } from "../listen/index.ts";
import { GatewayLink } from "./gateway-link.ts";
import { RelayPeer } from "./relay-peer.ts";
import type { RelaySecrets } from "./relay-secrets.ts";

interface HubRelayOptions {
  readonly url: string;
  readonly deviceId: string;
  readonly hubKey: HubKey;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Log;
  readonly secrets: RelaySecrets;
  readonly failedLogins: FailedLogins;
  /** Serves a sealed channel like a socket of the envelope dialect. */
  readonly serveEnvelopes: (peer: Peer, address: string) => void;
}

/** Limit of waiting handshakes. Further devices are told to retry. */
const MAX_HANDSHAKES = 256;

/**
 * The hub's side of a gateway. The gateway is considered hostile: it can cut and delay, but the channels reject frames
 * that it invents, changes, repeats or reorders. Their keys come from tokens that it has never seen.
 */
export class HubRelay implements ClosableServer {
  readonly #deviceId: string;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #secrets: RelaySecrets;
  readonly #failedLogins: FailedLogins;
  readonly #serveEnvelopes: (peer: Peer, address: string) => void;
  readonly #link: GatewayLink;
  readonly #peers = new Map<string, RelayPeer>();
  readonly #ended = Promise.withResolvers<void>();
  /** Arrivals and departures, handled one after the other. */
  #arrivals: Promise<void> = Promise.resolve();
  #handshakes = 0;
  #listening = true;

  constructor(options: HubRelayOptions) {
    const { url, deviceId, hubKey, clock, limits, log, secrets, failedLogins, serveEnvelopes } = options;
    this.#deviceId = deviceId;
    this.#clock = clock;
    this.#limits = limits;
    this.#log = log;
    this.#secrets = secrets;
    this.#failedLogins = failedLogins;
    this.#serveEnvelopes = serveEnvelopes;
    this.#link = new GatewayLink(
      { url, deviceId, hubKey, clock, limits, log },
      {
        message: (envelope) => this.#take(envelope),
        down: () => {
          for (const peer of [...this.#peers.values()]) peer.drop();
        },
      },
    );
  }

  stopListening(): Promise<void> {
    this.#listening = false;
    return this.#ended.promise;
  }

  endConnections(): void {
    // After the turn of the event loop in which the last answers were written.
    setImmediate(() => void this.#end().then(this.#ended.resolve, this.#ended.reject));
  }

  async #end(): Promise<void> {
    const peers = [...this.#peers.values()];
    for (const peer of peers) peer.close(GOING_AWAY, "the hub is shutting down");
    await Promise.all(peers.map((peer) => peer.flushed()));
    await this.#link.close();
  }

  #take(envelope: Envelope): void {
    const { from, action, payload } = envelope;
    if (action === RelayHelloAction) return this.#queueHello(envelope);
    if (from === GATEWAY && action === RelayGoneAction) {
      const deviceId = relayGonePayloadSchema.safeParse(payload).data?.deviceId;
      // Queued, because the device's hello may still be waiting.
      if (deviceId !== undefined) this.#inTurn(async () => this.#peers.get(deviceId)?.drop());
      return;
    }
    if (from === GATEWAY && action === SendErrorAction) return;
    const peer = this.#peers.get(from);
    if (action === SealedAction && peer) return peer.open(payload);
    peer?.drop();
    const reason = action === SealedAction ? "there's no channel" : "only sealed frames are taken";
    this.#log.warn({ device: from, action }, `the gateway passed on a frame, but ${reason}`);
    this.#link.send(from, RelayClosedAction, { code: CLOSE.tampered, reason });
  }

  #queueHello(envelope: Envelope): void {
    if (!this.#listening || this.#handshakes >= MAX_HANDSHAKES) return this.#putOff(envelope.from);
    this.#handshakes += 1;
    this.#inTurn(() =>
      this.#greet(envelope).finally(() => {
        this.#handshakes -= 1;
      }),
    );
  }

  #inTurn(step: () => Promise<void>): void {
    this.#arrivals = this.#arrivals
      .then(step)
      .catch((cause) => this.#log.error({ err: cause }, "a handshake through the gateway failed"));
  }

  async #greet({ from: deviceId, payload }: Envelope): Promise<void> {
    const address = `gateway device ${deviceId}`;
    const hello = relayHelloPayloadSchema.safeParse(payload).data;
    const full = this.#peers.size >= this.#limits.webSockets && !this.#peers.has(deviceId);
    // Not one of our clients, so it gets no answer.
    if (!hello) return;
    if (full || !this.#failedLogins.mayTry(address)) return this.#putOff(deviceId);
    const secret = await this.#secrets.find(hello.keyHint);
    // Does the same work for an unknown token, so that the time reveals nothing.
    const keys = await this.#derive(secret ?? new Uint8Array(randomBytes(32)), { deviceId, clientShare: hello.share });
    if (!secret || !keys) {
      this.#failedLogins.failed(address);
      this.#link.send(deviceId, RelayRefusedAction, { answers: hello.share });
      return;
    }
    const welcome = { answers: hello.share, share: keys.hubShare, proof: await proveHub(keys) };
    this.#peers.get(deviceId)?.drop();
    if (!this.#link.send(deviceId, RelayWelcomeAction, welcome)) return;
    const peer = this.#addPeer(deviceId, keys);
    this.#serveEnvelopes(peer, address);
  }

  async #derive(secret: Uint8Array<ArrayBuffer>, hello: { deviceId: string; clientShare: string }) {
    const own = await makeRelayShare();
    const ids = { clientId: hello.deviceId, hubId: this.#deviceId };
    const { clientShare } = hello;
    // An invalid public key is no handshake.
    const keys = await deriveRelayKeys({ secret, own, clientShare, hubShare: own.share, ...ids }).catch(
      () => undefined,
    );
    return keys && { ...keys, hubShare: own.share };
  }

  #addPeer(deviceId: string, keys: Parameters<typeof proveHub>[0]): RelayPeer {
    const peer: RelayPeer = new RelayPeer(
      {
        sendKey: keys.hubToClient,
        receiveKey: keys.clientToHub,
        ownId: this.#deviceId,
        otherId: deviceId,
      },
      {
        clock: this.#clock,
        limits: this.#limits,
        transmit: (sealed) => {
          if (!this.#link.send(deviceId, SealedAction, sealed)) peer.drop();
        },
        broken: (error) => {
          this.#log.warn({ device: deviceId, err: error }, "a channel through the gateway broke");
          this.#link.send(deviceId, RelayClosedAction, { code: CLOSE.tampered, reason: "a sealed frame didn't open" });
        },
        closed: (code, reason) => this.#link.send(deviceId, RelayClosedAction, { code, reason }),
      },
    );
    this.#peers.set(deviceId, peer);
    peer.gone.addEventListener("abort", () => {
      if (this.#peers.get(deviceId) === peer) this.#peers.delete(deviceId);
    });
    return peer;
  }

  /** Tells the client to retry later. This isn't a refusal. */
  #putOff(deviceId: string): void {
    this.#link.send(deviceId, RelayClosedAction, { code: CLOSE.rateLimited, reason: "the hub is busy; come later" });
  }
}
