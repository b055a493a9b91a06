import type { Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import {
  CLOSE,
  type Envelope,
  ExecApprovalCountedAction,
  ExecApprovalExpiredAction,
  ExecApprovalRequestAction,
  type ExecApprovalRequestPayload,
  ExecApprovalResolvedAction,
  ExecOutputAction,
  ExecOutputEndedAction,
  envelopeSchema,
  GATEWAY,
  LedgerCheckpointAction,
  PolicyChangedAction,
  RegisterAction,
  RegisteredAction,
  RequestAction,
  ResponseAction,
  registerPayloadSchema,
  requestPayloadSchema,
  SendErrorAction,
  type SendErrorCode,
} from "@countersign/protocol/proposals";
import type { LedgerCheckpoint } from "@countersign/protocol/records";
import { isMethodName, type MethodName } from "@countersign/protocol/wire";
import { parseJson } from "@countersign/receipts";
import type { DeviceType, Role } from "@countersign/vocabulary";
import { uuidv7 } from "uuidv7";
import type { ApprovalNews } from "../../events/index.ts";
import type { Hub } from "../../hub/index.ts";
import {
  authorize,
  callMethod,
  type Head,
  OutputSubscriptions,
  type Peer,
  problemOf,
  RunSubscription,
  StateSubscription,
} from "../index.ts";
import { CardTexts } from "./card-texts.ts";
import type { FairQueue } from "./fair-queue.ts";
import type { Logins } from "./logins.ts";
import { replayPending } from "./replay.ts";

/** `deviceType` follows from the role. */
const DEVICE_TYPE: Record<Role, DeviceType> = {
  approver: "client",
  observer: "client",
  agent: "agent",
  hub: "hub",
};

interface EnvelopeOptions {
  readonly hub: Hub;
  readonly limits: Limits;
  readonly logins: Logins;
  /** Decides which connection is sent pending approvals next. */
  readonly queue: FairQueue;
}

/** The envelope dialect, at `/ws`: acts as the gateway and as the hub behind it. */
export class EnvelopeServer {
  readonly #options: EnvelopeOptions;
  readonly #devices = new Map<string, EnvelopeConnection>();
  readonly #texts: CardTexts;

  constructor(options: EnvelopeOptions) {
    this.#options = options;
    const { approvals, news, checkpointNews, policyNews } = options.hub;
    // Holds `payload` and the end of the envelope.
    this.#texts = new CardTexts(approvals, news, (card) => `${JSON.stringify(card)}}`);
    news.listen((news) => this.#sendNews(news));
    checkpointNews.listen((checkpoint) => {
      for (const device of this.#devices.values()) device.sendCheckpoint(checkpoint);
    });
    policyNews.listen(() => {
      for (const device of this.#devices.values()) device.sendPolicyChanged();
    });
  }

  serve(connection: Peer, address: string): void {
    new EnvelopeConnection(connection, address, { ...this.#options, devices: this.#devices, texts: this.#texts });
  }

  #sendNews(news: ApprovalNews): void {
    for (const device of this.#devices.values()) device.sendNews(news);
  }
}

class EnvelopeConnection {
  readonly #connection: Peer;
  readonly #hub: Hub;
  readonly #limits: Limits;
  readonly #logins: Logins;
  readonly #queue: FairQueue;
  readonly #devices: Map<string, EnvelopeConnection>;
  readonly #texts: CardTexts;
  readonly #address: string;
  readonly #requests = new Set<string>();
  readonly #outputs: OutputSubscriptions;
  readonly #runs: RunSubscription;
  readonly #state: StateSubscription;
  #registered: { readonly identity: Identity; readonly deviceId: string } | undefined;
  #registering = false;

  constructor(
    connection: Peer,
    address: string,
    options: EnvelopeOptions & { readonly devices: Map<string, EnvelopeConnection>; readonly texts: CardTexts },
  ) {
    this.#connection = connection;
    this.#address = address;
    const { hub, limits, logins, queue, devices, texts } = options;
    this.#hub = hub;
    this.#limits = limits;
    this.#logins = logins;
    this.#queue = queue;
    this.#devices = devices;
    this.#texts = texts;
    this.#outputs = new OutputSubscriptions(connection, {
      followers: hub.followers,
      limits,
      output: (event) => this.#send(ExecOutputAction, event),
      ended: (end) => this.#send(ExecOutputEndedAction, end),
      failed: (cause) => hub.log.error({ err: cause }, "an output could not be sent"),
    });
    const { gone } = connection;
    const send = (action: string, payload: object) => this.#send(action, payload);
    this.#runs = new RunSubscription(hub.runs, gone, send);
    this.#state = new StateSubscription(hub, gone, send);
    connection.onText((text) => this.#take(text));
    gone.addEventListener("abort", () => this.#leave());
  }

  /** Sends news to those who may see everything. Agents learn of their own proposals from their answers. */
  sendNews(news: ApprovalNews): void {
    if (!this.#registered || !seesAll(this.#registered.identity)) return;
    if (news.kind === "counted") {
      if (this.#send(ExecApprovalCountedAction, news.counted))
        this.#shown([news.counted.approvalId], this.#registered.identity);
    } else if (news.kind !== "asked") {
      this.#send(news.kind === "expired" ? ExecApprovalExpiredAction : ExecApprovalResolvedAction, news.closed);
    } else if (this.#sendCard(news.card)) {
      this.#shown([news.card.approvalId], this.#registered.identity);
    }
  }

  sendCheckpoint(checkpoint: LedgerCheckpoint): void {
    if (this.#registered && seesAll(this.#registered.identity)) this.#send(LedgerCheckpointAction, checkpoint);
  }

  sendPolicyChanged(): void {
    if (this.#registered && seesAll(this.#registered.identity)) this.#send(PolicyChangedAction, {});
  }

  /** Records cards as delivered once they have reached somebody who may answer, not when they are sent. */
  #shown(approvalIds: readonly string[], { role }: Identity): void {
    if (role !== "approver" || approvalIds.length === 0) return;
    const record = async () => {
      if (await this.#connection.confirmed()) await this.#hub.approvals.delivered(approvalIds);
    };
    record().catch((cause) => this.#hub.log.error({ err: cause }, "a delivery could not be recorded"));
  }

  /** Closes this connection: a device is served on its newest only. */
  replace(): void {
    this.#connection.close(CLOSE.replaced, "the device connected again");
  }

  #take(text: string): void {
    const envelope = readEnvelope(text);
    if (!this.#registered) return this.#takeFirst(envelope);
    if ("problem" in envelope) return this.#refuse("INVALID_MESSAGE", envelope.problem, envelope);
    const { deviceId } = this.#registered;
    if (envelope.from !== deviceId) return this.#refuse("INVALID_MESSAGE", `from must be ${deviceId}`, envelope);
    if (envelope.action === RegisterAction)
      return this.#refuse("INVALID_MESSAGE", "This connection is registered", envelope);
    if (envelope.to !== this.#hub.deviceId) {
      return this.#refuse("DEVICE_NOT_FOUND", `There's no device ${envelope.to}`, envelope);
    }
    if (envelope.action !== RequestAction) {
      return this.#refuse(
        "INVALID_MESSAGE",
        `The action ${envelope.action} isn't taken from a ${DEVICE_TYPE[this.#registered.identity.role]}`,
        envelope,
      );
    }
    void this.#answer(envelope, this.#registered.identity);
  }

  /** Logs in. Sends nothing to a connection before it has shown a valid token. */
  #takeFirst(envelope: Envelope | Unreadable): void {
    this.#logins.heard(this.#connection);
    const register =
      "problem" in envelope || envelope.action !== RegisterAction
        ? undefined
        : registerPayloadSchema.safeParse(envelope.payload);
    if (this.#registering || !register?.success || "problem" in envelope || envelope.to !== GATEWAY) {
      return this.#connection.close(CLOSE.unauthorized, "register first");
    }
    const identity = this.#logins.attempt(register.data.token, this.#address);
    if (identity === "limited") return this.#connection.close(CLOSE.rateLimited, "too many wrong tokens");
    if (!identity) return this.#connection.close(CLOSE.unauthorized, "no valid token");
    this.#registering = true;
    void this.#register(envelope, { identity, deviceType: register.data.deviceType });
  }

  async #register(envelope: Envelope, who: { identity: Identity; deviceType: string }): Promise<void> {
    const { identity } = who;
    const expected = DEVICE_TYPE[identity.role];
    if (who.deviceType !== expected || identity.role === "hub") {
      const why = identity.role === "hub" ? "This gateway has its own hub" : `This token registers as ${expected}`;
      this.#refuse("INVALID_MESSAGE", why, envelope);
      return this.#connection.close(CLOSE.unauthorized, why);
    }
    const deviceId = envelope.from;
    const claimed = await this.#claim(deviceId, identity);
    // Not 4401, which means to a device that it was revoked.
    if (claimed === "failed") return this.#connection.close(1011, "the device could not be recorded");
    if (!claimed) {
      this.#refuse("INVALID_MESSAGE", `The device ${deviceId} belongs to another token`, envelope);
      return this.#connection.close(CLOSE.unauthorized, "another token's device");
    }
    if (this.#connection.gone.aborted) return;
    // The token may have been revoked while the store was writing, when this connection wasn't registered for that yet.
    if (!this.#logins.isLive(identity)) return this.#connection.close(CLOSE.unauthorized, "the token was revoked");
    this.#devices.get(deviceId)?.replace();
    this.#devices.set(deviceId, this);
    this.#registered = { identity, deviceId };
    this.#logins.loggedIn(this.#connection, identity);
    this.#send(RegisteredAction, { ok: true, deviceId, hubDeviceId: this.#hub.deviceId }, GATEWAY);
    if (!seesAll(identity)) return;
    const to = {
      connection: this.#connection,
      identity,
      head: () => this.#cardHead(),
      send: (card: ExecApprovalRequestPayload) => this.#send(ExecApprovalRequestAction, card),
    };
    await replayPending(this.#hub.approvals, this.#texts, this.#queue, to).catch((cause) => {
      this.#hub.log.error({ err: cause }, "pending approvals could not be replayed");
      this.#connection.close(1011, "replay failed");
    });
  }

  async #claim(deviceId: string, identity: Identity): Promise<boolean | "failed"> {
    if (deviceId === this.#hub.deviceId || deviceId === GATEWAY) return false;
    return await this.#hub.devices.claim(deviceId, identity).catch((cause) => {
      this.#hub.log.error({ err: cause }, "a device could not be recorded");
      return "failed" as const;
    });
  }

  async #answer(envelope: Envelope, identity: Identity): Promise<void> {
    const reading = requestPayloadSchema.safeParse(envelope.payload);
    if (!reading.success) return this.#refuse("INVALID_MESSAGE", "A request is {requestId, method, params?}", envelope);
    const { requestId, method, params } = reading.data;
    if (this.#requests.has(requestId))
      return this.#refuse("INVALID_MESSAGE", `requestId ${requestId} is under way`, envelope);
    const full = this.#requests.size >= this.#limits.requestsPerConnection;
    this.#requests.add(requestId);
    try {
      if (full) throw new HubError("LIMIT", "Too many requests are under way (limit: requestsPerConnection)");
      authorize("envelope", method, identity);
      if (!isMethodName(method)) throw new HubError("METHOD_NOT_FOUND", `There's no method ${method}`);
      const shows = isShowing(method);
      // As an observer, because being asked for doesn't count as delivery. It is recorded when the answer has arrived.
      const viewer: Identity = shows ? { ...identity, role: "observer" } : identity;
      const by = {
        identity: viewer,
        gone: this.#connection.gone,
        outputs: this.#outputs,
        runs: this.#runs,
        state: this.#state,
      };
      const { frameBytes } = this.#connection;
      const payload = await callMethod(this.#hub, { method, params, by, frameBytes });
      const sent = this.#send(ResponseAction, { requestId, ok: true, payload });
      if (!sent) throw new HubError("LIMIT", "The answer is too large for a frame (limit: frameBytes); ask over HTTP");
      if (shows) this.#shown(approvalIdsIn(payload), identity);
    } catch (cause) {
      this.#send(ResponseAction, { requestId, ok: false, error: problemOf(cause, this.#hub.log) });
    } finally {
      this.#requests.delete(requestId);
    }
  }

  #sendCard(card: ExecApprovalRequestPayload): boolean {
    const head = this.#cardHead();
    const tail = this.#texts.of(card);
    const fits = head.bytes.length + tail.length <= this.#connection.frameBytes;
    return fits && this.#connection.sendShared({ head, tails: [tail] });
  }

  /**
   * Returns an envelope up to its payload, as `#send` writes it. The ids of a batch differ in their last four digits;
   * the rest is random enough.
   */
  #cardHead(): Head {
    const before = '{"id":"';
    const id = uuidv7();
    const from = JSON.stringify(this.#hub.deviceId);
    const to = JSON.stringify(this.#registered?.deviceId ?? "");
    const text = `${before}${id}","from":${from},"to":${to},"action":"${ExecApprovalRequestAction}","payload":`;
    return { bytes: Buffer.from(text), numberAt: before.length + id.length - 4 };
  }

  #send(action: string, payload: object, from = this.#hub.deviceId): boolean {
    return this.#connection.send({ id: uuidv7(), from, to: this.#registered?.deviceId ?? "", action, payload });
  }

  /** Sends an error that names the refused frame, if its id could be read. */
  #refuse(code: SendErrorCode, message: string, about: { readonly id?: string | undefined }): void {
    this.#send(SendErrorAction, { code, message, ...(about.id === undefined ? {} : { messageId: about.id }) }, GATEWAY);
  }

  #leave(): void {
    const deviceId = this.#registered?.deviceId;
    if (deviceId !== undefined && this.#devices.get(deviceId) === this) this.#devices.delete(deviceId);
  }
}

function seesAll({ role }: Identity): boolean {
  return role === "approver" || role === "observer";
}

function isShowing(method: MethodName): boolean {
  return method === "listExecApprovals" || method === "getExecApproval";
}

function approvalIdsIn(payload: object): string[] {
  const cards = "approvals" in payload ? payload.approvals : [payload];
  return (cards as ExecApprovalRequestPayload[]).map(({ approvalId }) => approvalId);
}

function readEnvelope(text: string): Envelope | Unreadable {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    return { problem: "The frame isn't JSON" };
  }
  const reading = envelopeSchema.safeParse(json);
  if (reading.success) return reading.data;
  const [issue] = reading.error.issues;
  const id = envelopeSchema.pick({ id: true }).loose().safeParse(json).data?.id;
  return { id, problem: `Not an envelope: ${issue?.path.join(".") || "frame"}: ${issue?.message ?? ""}` };
}

interface Unreadable {
  readonly problem: string;
  readonly id?: string | undefined;
}
