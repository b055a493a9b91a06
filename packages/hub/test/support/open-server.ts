import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Clock, DEFAULT_LIMITS, type Limits, silentLog } from "@countersign/core/base";
import { type LedgerEntry, readLedger } from "@countersign/store";
import WebSocket from "ws";
import { type Served, type ServeOptions, serve } from "../../src/serve.ts";

export interface TestServer extends Served {
  readonly workspace: string;
  readonly token: string;
  /** A call with the bootstrap token, or another. */
  api(method: string, path: string, body?: object, token?: string): Promise<{ status: number; body: unknown }>;
  readLedger(): Promise<LedgerEntry[]>;
  makeToken(role: string, name?: string): Promise<{ id: string; token: string }>;
}

/** What stands in config.json and in profiles, how it is reached, and what it knows of agents. */
type More = Pick<ServeOptions, "host" | "tls" | "agents"> & {
  readonly config?: object;
  readonly profiles?: Readonly<Record<string, object>>;
};

export async function openServer(
  t: TestContext,
  limits: Partial<Limits> = {},
  clock?: Clock,
  { config = {}, profiles = {}, ...more }: More = {},
): Promise<TestServer> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-server-")));
  const workspace = join(scratch, "workspace");
  mkdirSync(workspace);
  mkdirSync(join(scratch, "home"), { mode: 0o700 });
  writeFileSync(join(scratch, "home/config.json"), JSON.stringify(config), { mode: 0o600 });
  writeProfiles(join(scratch, "home"), profiles);
  const served = await serve({
    homeDir: join(scratch, "home"),
    cwd: workspace,
    port: 0,
    log: silentLog,
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...(clock ? { clock } : {}),
    ...more,
  });
  t.after(async () => {
    await served.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const bootstrap = readFileSync(served.home.token, "utf8").trim();
  const api: TestServer["api"] = async (method, path, body, token = bootstrap) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(served.url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: await response.json() };
  };
  const makeToken = async (role: string, name = role) => {
    const { body } = await api("POST", "/api/v1/tokens", { role, name });
    return body as { id: string; token: string };
  };
  const ledger = async () => {
    const entries: LedgerEntry[] = [];
    for await (const entry of readLedger(served.home.database)) entries.push(entry);
    return entries;
  };
  return { ...served, readLedger: ledger, workspace, token: bootstrap, api, makeToken };
}

/** For a hub that hasn't begun: what comes later is frozen until somebody accepts it. */
export function writeProfiles(homeDir: string, profiles: Readonly<Record<string, object>>): void {
  for (const [name, execApproval] of Object.entries(profiles)) {
    const folder = join(homeDir, "profiles", name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "config.json"), JSON.stringify({ execApproval }), { mode: 0o600 });
  }
}

export type Frame = Record<string, unknown> & { payload?: Record<string, unknown>; data?: Record<string, unknown> };

/** A plain WebSocket client that keeps every frame until the test asks for it. */
export class Client {
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #frames: Frame[] = [];
  readonly #waiting: { match: (frame: Frame) => boolean; resolve: (frame: Frame) => void }[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on("error", () => undefined);
    socket.on("message", (data) => this.#take(JSON.parse(data.toString())));
  }

  static open(url: string, options: WebSocket.ClientOptions = {}): Promise<Client> {
    const client = new Client(new WebSocket(url.replace("http:", "ws:"), options));
    return new Promise((resolve, reject) => {
      client.socket.once("open", () => resolve(client));
      client.socket.once("error", reject);
    });
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** The next frame that fits, also if it came before; each is given once. */
  next(match: (frame: Frame) => boolean = () => true): Promise<Frame> {
    const index = this.#frames.findIndex(match);
    if (index >= 0) return Promise.resolve(this.#frames.splice(index, 1)[0] as Frame);
    return new Promise((resolve) => this.#waiting.push({ match, resolve }));
  }

  get unread(): readonly Frame[] {
    return this.#frames;
  }

  #take(frame: Frame): void {
    const index = this.#waiting.findIndex(({ match }) => match(frame));
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.resolve(frame);
    else this.#frames.push(frame);
  }
}
