import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock, Limits, Log, Timer } from "@countersign/core/base";
import {
  gatewayChallenge,
  RelayChallengeAction,
  RelayClosedAction,
  RelayGoneAction,
  RelayHelloAction,
  RelayProofAction,
  RelayRefusedAction,
  RelayWelcomeAction,
  relayClosedPayloadSchema,
  relayProofPayloadSchema,
  relayRegisterPayloadSchema,
  SealedAction,
} from "@countersign/protocol/access";
import {
  CLOSE,
  type Envelope,
  envelopeSchema,
  GATEWAY,
  RegisterAction,
  RegisteredAction,
  SendErrorAction,
  type SendErrorCode,
} from "@countersign/protocol/proposals";
import { parseJson } from "@countersign/receipts";
import { uuidv7 } from "uuidv7";
import type { Connection } from "../api/ws/index.ts";
import { isSignedBy } from "../identity/index.ts";

/** RFC 6455's registry: "service restart" and "try again later". */
const HUB_LEFT = 1012;
const TRY_LATER = 1013;
/** A hello is small, and a device can send nothing else before the hub has welcomed it. */
const MAX_HELLO = 2_048;

const FROM_HUB: ReadonlySet<string> = new Set([
  RelayWelcomeAction,
  RelayRefusedAction,
  RelayClosedAction,
  SealedAction,
]);

/** State of a connection. */
type Line = { readonly kind: "new" } | Challenged | HubLine | DeviceLine;

interface Challenged {
  readonly kind: "challenged";
  readonly deviceId: string;
  readonly hubKey: string;
  readonly nonce: string;
}

interface HubLine {
  readonly kind: "hub";
  readonly connection: Connection;
  readonly deviceId: string;
}

interface DeviceLine {
  readonly kind: "device";
  readonly connection: Connection;
  readonly deviceId: string;
  readonly claim: string;
  /** Runs until the hub has welcomed the device. */
  readonly deadline: Timer;
  greeted: boolean;
  welcomed: boolean;
}

type Register = ReturnType<typeof relayRegisterPayloadSchema.parse>;

/**
 * Passes frames between a hub and its devices, never between devices. It knows no tokens and decides nothing; a device
 * that the hub doesn't welcome is cut off.
 */
export class Switchboard {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #log: Log;
  /** The hub's key: given, or that of the first hub. */
  #hubKey: string | undefined;
  #hub: HubLine | undefined;
  readonly #devices = new Map<string, DeviceLine>();

  constructor(
    { clock, limits, log }: { readonly clock: Clock; readonly limits: Limits; readonly log: Log },
    hubKey?: string,
  ) {
    this.#clock = clock;
    this.#limits = limits;
    this.#log = log;
    this.#hubKey = hubKey;
  }

  serve(connection: Connection): void {
    let line: Line = { kind: "new" };
    const deadline = this.#clock.after(this.#limits.loginMs, () =>
      connection.close(CLOSE.unauthorized, "register first"),
    );
    connection.gone.addEventListener("abort", () => deadline.cancel());
    connection.onText((text) => {
      const envelope = readEnvelope(text);
      if (!envelope) this.#refuse(connection, "INVALID_MESSAGE", "Not an envelope");
      else if (line.kind === "hub") this.#takeFromHub(line, envelope);
      else if (line.kind === "device") this.#takeFromDevice(line, envelope, text.length);
      else
        line =
          (line.kind === "new" ? this.#takeFirst(connection, envelope) : this.#takeProof(connection, line, envelope)) ??
          line;
      if (line.kind === "hub" || line.kind === "device") deadline.cancel();
    });
  }

  #takeFirst(connection: Connection, envelope: Envelope): Line | undefined {
    if (envelope.action !== RegisterAction || envelope.to !== GATEWAY)
      return this.#refuse(connection, "NOT_REGISTERED", "Register first", envelope);
    const register = relayRegisterPayloadSchema.safeParse(envelope.payload).data;
    if (!register) {
      const why = "This gateway only relays, and takes no token: register with relay: true";
      return this.#turnAway(connection, why, envelope);
    }
    if (register.deviceType !== "hub") return this.#addDevice(connection, envelope, register);
    const { hubKey } = register;
    if (envelope.from === GATEWAY || (this.#hubKey ?? hubKey) !== hubKey)
      return this.#turnAway(connection, "This gateway is another hub's", envelope);
    const nonce = randomBytes(32).toString("base64url");
    this.#send(connection, envelope.from, RelayChallengeAction, { nonce });
    return { kind: "challenged", deviceId: envelope.from, hubKey, nonce };
  }

  #takeProof(connection: Connection, line: Challenged, envelope: Envelope): Line | undefined {
    const { deviceId, hubKey, nonce } = line;
    const proof =
      envelope.action === RelayProofAction ? relayProofPayloadSchema.safeParse(envelope.payload) : undefined;
    const signed = proof?.success && isSignedBy(hubKey, gatewayChallenge(nonce, deviceId), proof.data.signature);
    // Pinned only after the signature, and compared again: naming a key doesn't prove having it.
    if (!signed || (this.#hubKey ?? hubKey) !== hubKey)
      return this.#turnAway(connection, "The hub's key isn't proved", envelope);
    this.#hubKey = hubKey;
    return this.#addHub(connection, deviceId);
  }

  #addHub(connection: Connection, deviceId: string): HubLine {
    const line: HubLine = { kind: "hub", connection, deviceId };
    connection.setLimits(forMany(this.#limits));
    const before = this.#hub;
    if (before) {
      this.#removeHub(before);
      before.connection.close(CLOSE.replaced, "the hub connected again");
    }
    this.#hub = line;
    connection.gone.addEventListener("abort", () => this.#removeHub(line));
    this.#log.info({ hub: deviceId, hubKey: this.#hubKey }, "the hub is connected");
    this.#send(connection, deviceId, RegisteredAction, { ok: true, deviceId, hubDeviceId: deviceId });
    return line;
  }

  /** Ends all channels, because each of them ends at the hub. */
  #removeHub(line: HubLine): void {
    if (this.#hub !== line) return;
    this.#hub = undefined;
    this.#log.info({ hub: line.deviceId }, "the hub has gone");
    for (const device of [...this.#devices.values()]) {
      this.#removeDevice(device);
      device.connection.close(HUB_LEFT, "the hub has gone; come again");
    }
  }

  #addDevice(
    connection: Connection,
    envelope: Envelope,
    { claim }: Exclude<Register, { deviceType: "hub" }>,
  ): DeviceLine | undefined {
    const deviceId = envelope.from;
    const hub = this.#hub;
    if (!hub) {
      this.#refuse(connection, "DEVICE_NOT_FOUND", "The hub isn't connected", envelope);
      connection.close(TRY_LATER, "the hub isn't connected");
      return undefined;
    }
    const before = this.#devices.get(deviceId);
    const taken = before !== undefined && !isSame(before.claim, claim);
    if (taken || deviceId === hub.deviceId || deviceId === GATEWAY)
      return this.#turnAway(connection, "This device is another's", envelope);
    if (before) {
      this.#removeDevice(before);
      before.connection.close(CLOSE.replaced, "the device connected again");
    }
    const deadline = this.#clock.after(this.#limits.loginMs, () =>
      connection.close(CLOSE.unauthorized, "the hub's welcome didn't come in time"),
    );
    const line: DeviceLine = { kind: "device", connection, deviceId, claim, deadline, greeted: false, welcomed: false };
    this.#devices.set(deviceId, line);
    connection.gone.addEventListener("abort", () => this.#removeDevice(line));
    this.#send(connection, deviceId, RegisteredAction, { ok: true, deviceId, hubDeviceId: hub.deviceId });
    return line;
  }

  #removeDevice(line: DeviceLine): void {
    line.deadline.cancel();
    if (this.#devices.get(line.deviceId) !== line) return;
    this.#devices.delete(line.deviceId);
    const { deviceId } = line;
    if (this.#hub && line.greeted) this.#send(this.#hub.connection, this.#hub.deviceId, RelayGoneAction, { deviceId });
  }

  #takeFromDevice(line: DeviceLine, envelope: Envelope, length: number): void {
    const { connection } = line;
    if (envelope.from !== line.deviceId)
      return this.#refuse(connection, "INVALID_MESSAGE", `from must be ${line.deviceId}`, envelope);
    if (!this.#hub || envelope.to !== this.#hub.deviceId || this.#devices.get(line.deviceId) !== line)
      return this.#refuse(connection, "DEVICE_NOT_FOUND", `There's no device ${envelope.to}`, envelope);
    const hello = envelope.action === RelayHelloAction && !line.greeted && length <= MAX_HELLO;
    const sealed = envelope.action === SealedAction && line.welcomed;
    if (!hello && !sealed)
      return this.#refuse(connection, "INVALID_MESSAGE", `${envelope.action} isn't taken from a device now`, envelope);
    line.greeted = true;
    this.#hub.connection.send(envelope);
  }

  #takeFromHub(line: HubLine, envelope: Envelope): void {
    const { connection } = line;
    if (envelope.from !== line.deviceId || !FROM_HUB.has(envelope.action))
      return this.#refuse(connection, "INVALID_MESSAGE", "Not a frame that a hub sends", envelope);
    const device = this.#hub === line ? this.#devices.get(envelope.to) : undefined;
    if (!device?.connection.send(envelope))
      return this.#refuse(connection, "DEVICE_NOT_FOUND", `There's no device ${envelope.to}`, envelope);
    if (envelope.action === RelayWelcomeAction) {
      device.welcomed = true;
      device.deadline.cancel();
    }
    if (envelope.action === RelayRefusedAction) device.connection.close(CLOSE.unauthorized, "the hub refused");
    if (envelope.action === RelayClosedAction) device.connection.close(closeCodeOf(envelope), "the hub closed");
  }

  #turnAway(connection: Connection, why: string, about: Envelope): undefined {
    this.#refuse(connection, "INVALID_MESSAGE", why, about);
    connection.close(CLOSE.unauthorized, why);
  }

  #refuse(connection: Connection, code: SendErrorCode, message: string, about?: Envelope): undefined {
    const answers = about ? { messageId: about.id } : {};
    this.#send(connection, about?.from ?? "", SendErrorAction, { code, message, ...answers });
  }

  #send(connection: Connection, to: string, action: string, payload: object): void {
    connection.send({ id: uuidv7(), from: GATEWAY, to, action, payload });
  }
}

/** Returns limits for one connection that carries the frames of all devices. Each device has its own limits. */
export function forMany(limits: Limits): Limits {
  return { ...limits, frameBurst: Number.POSITIVE_INFINITY, sendBufferBytes: 8 * limits.sendBufferBytes };
}

function closeCodeOf({ payload }: Envelope): number {
  const code = relayClosedPayloadSchema.safeParse(payload).data?.code ?? 0;
  return code >= 4000 && code < 5000 ? code : HUB_LEFT;
}

function isSame(first: string, second: string): boolean {
  const [a, b] = [Buffer.from(first), Buffer.from(second)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    return envelopeSchema.safeParse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}
