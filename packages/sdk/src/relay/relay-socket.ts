import {
  RelayClosedAction,
  RelayHelloAction,
  RelayRefusedAction,
  RelayWelcomeAction,
  relayClosedPayloadSchema,
  relayWelcomePayloadSchema,
  SealedAction,
  sealableBytes,
} from "@countersign/protocol/access";
import {
  CLOSE,
  type Envelope,
  GATEWAY,
  RegisterAction,
  RegisteredAction,
  registeredPayloadSchema,
  SendErrorAction,
} from "@countersign/protocol/proposals";
import type { DeviceType } from "@countersign/vocabulary";
import {
  GatewayError,
  isTooLong,
  makeMessageId,
  readFrame,
  type SocketLike,
  type WebSocketConstructor,
  writeFrame,
} from "../errors/index.ts";
import { RelayChannel, type RelayMessage } from "./relay-channel.ts";
import {
  deriveRelayKeys,
  isHubProof,
  keyHintOf,
  makeRelayShare,
  type RelayShare,
  relayClaimOf,
  relaySecretOf,
} from "./relay-keys.ts";

export interface RelayDevice {
  readonly token: string;
  readonly deviceType: DeviceType;
  readonly deviceId: string;
}

interface Heard {
  readonly open: () => void;
  readonly message: (event: { data: unknown }) => void;
  readonly error: (event: { error?: unknown; message?: unknown }) => void;
  readonly close: (event: { code: number; reason: string }) => void;
}

/** How long acks are gathered: many frames, one ack. */
const ACK_AFTER_MS = 20;
/** RFC 6455's "no close frame": ours when the reason is nobody's code. */
const CUT = 1006;
const RETURNING: ReadonlySet<number> = new Set([CLOSE.tampered, CLOSE.rateLimited]);

/** Sockets that go through a gateway to the hub behind it, and from there on look like one to the hub itself. */
export function relayThrough(webSocket: WebSocketConstructor, device: RelayDevice): WebSocketConstructor {
  return class extends RelaySocket {
    constructor(url: string) {
      super(new webSocket(url), device);
    }
  };
}

/**
 * Registers at the gateway without the token, shakes hands with the hub, and is `open` when the hub has proved that it
 * knows the token. One socket has one channel: whatever is wrong with it ends both, and the client comes back anew.
 */
class RelaySocket implements SocketLike {
  readonly #socket: SocketLike;
  readonly #device: RelayDevice;
  readonly #listeners: { readonly [Type in keyof Heard]: Heard[Type][] } = {
    open: [],
    message: [],
    error: [],
    close: [],
  };
  #phase: "registering" | "greeting" | "checking" | "open" | "over" = "registering";
  #hubId = "";
  #own: RelayShare | undefined;
  #channel: RelayChannel | undefined;
  #acking: ReturnType<typeof setTimeout> | undefined;
  #heard = 0;

  constructor(socket: SocketLike, device: RelayDevice) {
    this.#socket = socket;
    this.#device = device;
    socket.addEventListener("open", () => this.#run(this.#register()));
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("error", (event) => this.#emit("error", event));
    socket.addEventListener("close", ({ code, reason }) => this.#end(code, reason));
  }

  set binaryType(type: string) {
    this.#socket.binaryType = type;
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    if (!this.#channel) throw new GatewayError("DISCONNECTED", "The channel to the hub isn't open");
    if (new TextEncoder().encode(text).length > sealableBytes())
      throw new GatewayError("LIMIT", `The message is larger than a sealed frame (${sealableBytes()} bytes)`);
    this.#channel.seal({ kind: "text", text });
  }

  close(code?: number): void {
    this.#stop();
    this.#socket.close(code);
  }

  addEventListener<Type extends keyof Heard>(type: Type, listener: Heard[Type]): void {
    this.#listeners[type].push(listener);
  }

  async #register(): Promise<void> {
    const { token, deviceType, deviceId } = this.#device;
    const claim = await relayClaimOf(await relaySecretOf(token), deviceId);
    this.#write(GATEWAY, RegisterAction, { deviceType, relay: true, claim });
  }

  #receive(data: unknown): void {
    if (this.#phase === "over") return;
    const envelope = typeof data === "string" && !isTooLong(data) ? readFrame(data) : undefined;
    if (!envelope) return this.#fail(CLOSE.badFrame, "The gateway sent a frame that isn't one");
    if (this.#phase === "open") this.#receiveSealed(envelope);
    else if (envelope.from === GATEWAY) this.#receiveFromGateway(envelope);
    else if (envelope.from === this.#hubId && this.#phase === "greeting") this.#receiveGreeting(envelope);
    // Else it may be of a channel that this device had before: nothing of it can be opened, or needs to be.
  }

  #receiveFromGateway(envelope: Envelope): void {
    const { action, payload } = envelope;
    const registered = action === RegisteredAction ? registeredPayloadSchema.safeParse(payload).data : undefined;
    if (registered && this.#phase === "registering") {
      this.#phase = "greeting";
      this.#hubId = registered.hubDeviceId;
      this.#run(this.#greet());
    } else if (action === SendErrorAction) {
      // Why the close that follows comes.
      this.#emit("message", { data: writeFrame(envelope) });
    }
  }

  async #greet(): Promise<void> {
    const keyHint = await keyHintOf(await relaySecretOf(this.#device.token));
    this.#own = await makeRelayShare();
    this.#write(this.#hubId, RelayHelloAction, { keyHint, share: this.#own.share });
  }

  #receiveGreeting({ action, payload }: Envelope): void {
    if (action === RelayClosedAction) return this.#failUnsealed(payload);
    if (this.#own === undefined || answeredShare(payload) !== this.#own.share) return;
    if (action === RelayRefusedAction) return this.#fail(CLOSE.unauthorized, "the hub doesn't know this token");
    if (action !== RelayWelcomeAction) return;
    this.#phase = "checking";
    this.#run(this.#check(payload));
  }

  /** Until here nothing was sent that depends on the token's secrecy; without the proof nothing will be. */
  async #check(payload: unknown): Promise<void> {
    const welcome = relayWelcomePayloadSchema.safeParse(payload).data;
    const keys = welcome && (await this.#derive(welcome.share));
    if (!welcome || !keys || !(await isHubProof(keys, welcome.proof)))
      return this.#fail(CLOSE.unauthorized, "whoever answered isn't the hub: it doesn't know the token");
    if (this.#phase !== "checking") return;
    this.#channel = new RelayChannel(
      {
        sendKey: keys.clientToHub,
        receiveKey: keys.hubToClient,
        ownId: this.#device.deviceId,
        otherId: this.#hubId,
      },
      {
        transmit: (sealed) => this.#write(this.#hubId, SealedAction, sealed),
        received: (message, seq) => this.#take(message, seq),
        broken: (error) => this.#fail(error.code === "LIMIT" ? CLOSE.tooSlow : CLOSE.tampered, error.message, error),
      },
    );
    this.#phase = "open";
    this.#emit("open");
  }

  async #derive(hubShare: string) {
    if (!this.#own) return undefined;
    const secret = await relaySecretOf(this.#device.token);
    const ids = { clientId: this.#device.deviceId, hubId: this.#hubId };
    const handshake = { secret, own: this.#own, clientShare: this.#own.share, hubShare, ...ids };
    // A share that is no public key isn't the hub's.
    return await deriveRelayKeys(handshake).catch(() => undefined);
  }

  /** Unsealed, the gateway can say only that it is over; what looks like the hub's own words is forged. */
  #receiveSealed({ from, action, payload }: Envelope): void {
    if (from === this.#hubId && action === SealedAction) return this.#channel?.open(payload);
    if (from === GATEWAY && action === SendErrorAction) return this.#fail(CUT, "the gateway didn't reach the hub");
    if (action === RelayClosedAction) return this.#failUnsealed(payload);
    this.#fail(CLOSE.tampered, `A frame that isn't sealed: ${action}`);
  }

  /** Perhaps not the hub's word: it is believed only where the client then comes back. */
  #failUnsealed(payload: unknown): void {
    const closed = relayClosedPayloadSchema.safeParse(payload).data;
    const code = closed && RETURNING.has(closed.code) ? closed.code : CUT;
    this.#fail(code, closed?.reason ?? "");
  }

  #take(message: RelayMessage, seq: number): void {
    if (message.kind === "close") return this.#fail(message.code, message.reason);
    if (message.kind === "ack") return this.#fail(CLOSE.tampered, "The hub doesn't confirm");
    this.#heard = seq;
    this.#acking ??= setTimeout(() => {
      this.#acking = undefined;
      this.#channel?.seal({ kind: "ack", seq: this.#heard });
    }, ACK_AFTER_MS);
    this.#emit("message", { data: message.text });
  }

  #write(to: string, action: string, payload: object): void {
    if (this.#phase === "over") return;
    this.#socket.send(writeFrame({ id: makeMessageId(), from: this.#device.deviceId, to, action, payload }));
  }

  #run(step: Promise<void>): void {
    step.catch((error) => this.#fail(CUT, "the channel to the hub failed", error));
  }

  #fail(code: number, reason: string, error?: unknown): void {
    if (this.#phase === "over") return;
    if (error !== undefined) this.#emit("error", { error });
    // Browsers take no other codes from a page than those of applications.
    this.#socket.close(code >= 3000 ? code : undefined);
    this.#end(code, reason);
  }

  #end(code: number, reason: string): void {
    if (this.#phase === "over") return;
    this.#stop();
    this.#emit("close", { code, reason });
  }

  #stop(): void {
    this.#phase = "over";
    this.#channel?.drop();
    clearTimeout(this.#acking);
  }

  #emit<Type extends keyof Heard>(type: Type, ...args: Parameters<Heard[Type]>): void {
    for (const listener of this.#listeners[type]) (listener as (...args: Parameters<Heard[Type]>) => void)(...args);
  }
}

function answeredShare(payload: unknown): unknown {
  return (payload as { answers?: unknown } | null | undefined)?.answers;
}
