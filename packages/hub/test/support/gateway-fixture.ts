import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { DEFAULT_LIMITS, type Limits, type Log } from "@countersign/core/base";
import { prepareHome } from "@countersign/core/config";
import type { Envelope, ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import {
  type ConnectionState,
  GatewayClient,
  type GatewayClientOptions,
  type GatewayError,
  makeMessageId,
} from "@countersign/sdk";
import { type WebSocket, WebSocketServer } from "ws";
import { type Served, serve } from "../../src/serve.ts";

export interface TestHub {
  readonly served: Served;
  readonly token: string;
  readonly workspace: string;
  /** Proposes through the hub's own HTTP door; the outcome. */
  propose(command: string): Promise<{ kind: string; by?: string }>;
  makeToken(role: string, name?: string): Promise<{ id: string; token: string }>;
  revokeToken(id: string): Promise<void>;
  /** Resolves when it is registered with the gateway, for the nth time. */
  registered(times?: number): Promise<void>;
  restart(): Promise<void>;
}

/** A whole hub that goes out to a gateway, beside its own doors. */
export async function openHubBehind(
  t: TestContext,
  gateway: string,
  { limits = {}, profile }: { limits?: Partial<Limits>; profile?: object } = {},
): Promise<TestHub> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-gateway-")));
  const workspace = join(scratch, "workspace");
  mkdirSync(workspace);
  const home = prepareHome(join(scratch, "home"));
  if (profile) {
    mkdirSync(join(home.profiles, "default"), { recursive: true });
    writeFileSync(join(home.profiles, "default", "config.json"), JSON.stringify({ execApproval: profile }));
  }
  let count = 0;
  let waiting: { times: number; resolve: () => void }[] = [];
  const log: Log = {
    info(_, message) {
      if (message !== "registered with the gateway") return;
      count += 1;
      waiting = waiting.filter(({ times, resolve }) => (times <= count ? resolve() : true));
    },
    warn: () => undefined,
    error: (fields, message) => console.error(message, fields),
  };
  const open = () =>
    serve({ homeDir: home.dir, cwd: workspace, port: 0, log, gateway, limits: { ...DEFAULT_LIMITS, ...limits } });
  let served = await open();
  const token = readFileSync(home.token, "utf8").trim();
  const api = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    return (await (await fetch(served.url + path, init)).json()) as never;
  };
  t.after(async () => {
    await served.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  return {
    get served() {
      return served;
    },
    token,
    workspace,
    propose: (command) => api("POST", "/api/v1/exec", { command, cwd: workspace }),
    makeToken: (role, name = role) => api("POST", "/api/v1/tokens", { role, name }),
    revokeToken: async (id) => void (await api("DELETE", `/api/v1/tokens/${id}`)),
    registered: (times = 1) =>
      new Promise((resolve) => (times <= count ? resolve() : waiting.push({ times, resolve }))),
    async restart() {
      await served.close();
      served = await open();
    },
  };
}

/** A relaying client that keeps what it hears, and everything that happened to its connection. */
export class RemoteClient {
  readonly client: GatewayClient;
  readonly heard: Envelope[] = [];
  readonly states: { state: ConnectionState; code: string | undefined }[] = [];
  #waiting: { isOver: () => boolean; resolve: () => void }[] = [];

  constructor(t: TestContext, options: Pick<GatewayClientOptions, "url" | "token"> & Partial<GatewayClientOptions>) {
    const backoff = { minMs: 5, maxMs: 50 };
    this.client = new GatewayClient({ deviceType: "client", relay: true, backoff, ...options });
    this.client.onMessage((message) => {
      this.heard.push(message);
      this.#wake();
    });
    this.client.onStateChange((state, cause?: GatewayError) => {
      this.states.push({ state, code: cause?.code });
      this.#wake();
    });
    t.after(() => this.client.disconnect());
  }

  get hub(): string {
    return this.client.hubDeviceId ?? "";
  }

  cards(): ExecApprovalRequestPayload[] {
    return this.heard
      .filter(({ action }) => action === "exec-approval-request")
      .map(({ payload }) => payload as ExecApprovalRequestPayload);
  }

  async card(command: string): Promise<ExecApprovalRequestPayload> {
    const find = () => this.cards().find((card) => card.command === command);
    await this.until(() => find() !== undefined);
    return find() as ExecApprovalRequestPayload;
  }

  async message(action: string): Promise<Envelope> {
    const find = () => this.heard.find((message) => message.action === action);
    await this.until(() => find() !== undefined);
    return find() as Envelope;
  }

  /** It was cut off with this code, and has come back since. */
  async returned(code: string): Promise<void> {
    await this.until(() => {
      const lost = this.states.findIndex((change) => change.code === code);
      return lost >= 0 && this.states.slice(lost).some(({ state }) => state === "connected");
    });
  }

  answer(approvalId: string, decision: "allow-once" | "deny") {
    return this.client.request(this.hub, "resolveExecApproval", { approvalId, decision });
  }

  until(isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ isOver, resolve });
      this.#wake();
    });
  }

  #wake(): void {
    this.#waiting = this.#waiting.filter(({ isOver, resolve }) => (isOver() ? resolve() : true));
  }
}

interface Relayed {
  readonly envelope: Envelope;
  readonly toHub: boolean;
}

/** What becomes of a frame: these are passed on in its place. */
type Meddle = (frame: Relayed) => readonly Envelope[];
const passOn: Meddle = ({ envelope }) => [envelope];

/** A gateway that speaks the wire, keeps everything it sees, and does to it what the test wants. */
export class HostileGateway {
  /** Every text that came, in the order in which it came. */
  readonly seen: string[] = [];
  readonly relayed: Relayed[] = [];
  meddle: Meddle = passOn;
  readonly #server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  readonly #devices = new Map<string, WebSocket>();
  #hub: { id: string; ws: WebSocket } | undefined;
  #waiting: { isOver: (frame: Relayed) => boolean; resolve: (frame: Relayed) => void }[] = [];

  static async start(t: TestContext): Promise<HostileGateway> {
    const gateway = new HostileGateway();
    await once(gateway.#server, "listening");
    t.after(() => {
      for (const ws of gateway.#server.clients) ws.terminate();
      gateway.#server.close();
    });
    return gateway;
  }

  private constructor() {
    this.#server.on("connection", (ws) => {
      ws.on("error", () => ws.terminate());
      ws.on("message", (data) => this.#take(ws, String(data)));
      ws.on("close", () => this.#gone(ws));
    });
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ws`;
  }

  get hubId(): string {
    return this.#hub?.id ?? "";
  }

  cut(deviceId: string): void {
    this.#devices.get(deviceId)?.terminate();
  }

  toDevice(deviceId: string, action: string, payload: unknown, from = this.hubId): void {
    this.#devices.get(deviceId)?.send(JSON.stringify(frame(from, deviceId, action, payload)));
  }

  toHub(from: string, action: string, payload: unknown): void {
    this.#hub?.ws.send(JSON.stringify(frame(from, this.hubId, action, payload)));
  }

  /** The next frame that comes and fits. */
  next(isOver: (frame: Relayed) => boolean): Promise<Relayed> {
    return new Promise((resolve) => this.#waiting.push({ isOver, resolve }));
  }

  #take(ws: WebSocket, text: string): void {
    this.seen.push(text);
    const envelope = JSON.parse(text) as Envelope;
    const { from, action, payload } = envelope;
    if (action === "register" && (payload as { deviceType: string }).deviceType === "hub") {
      this.#hub = { id: from, ws };
      ws.send(JSON.stringify(frame("gateway", from, "relay-challenge", { nonce: "A".repeat(43) })));
    } else if (action === "register" || action === "relay-proof") {
      if (action === "register") this.#devices.set(from, ws);
      const registered = { ok: true, deviceId: from, hubDeviceId: this.hubId };
      ws.send(JSON.stringify(frame("gateway", from, "registered", registered)));
    } else {
      this.#relay({ envelope, toHub: ws !== this.#hub?.ws });
    }
  }

  #relay(relayed: Relayed): void {
    this.relayed.push(relayed);
    for (const envelope of this.meddle(relayed)) {
      const to = relayed.toHub ? this.#hub?.ws : this.#devices.get(envelope.to);
      to?.send(JSON.stringify(envelope));
    }
    this.#waiting = this.#waiting.filter(({ isOver, resolve }) => (isOver(relayed) ? resolve(relayed) : true));
  }

  #gone(ws: WebSocket): void {
    for (const [deviceId, device] of this.#devices) {
      if (device !== ws) continue;
      this.#devices.delete(deviceId);
      this.#hub?.ws.send(JSON.stringify(frame("gateway", this.hubId, "relay-gone", { deviceId })));
    }
  }
}

export function frame(from: string, to: string, action: string, payload: unknown): Envelope {
  return { id: makeMessageId(), from, to, action, payload };
}
