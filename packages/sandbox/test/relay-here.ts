import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ExecdFrame } from "../src/delivery/frame.ts";
import type { Log } from "../src/errors/log.ts";
import { initCa, openCa, startRelay } from "../src/index.ts";
import type { RelayLimits } from "../src/relay/limits.ts";
import type { Relay } from "../src/relay/start-relay.ts";

export const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

type Answer = { readonly seq: number } | { readonly error: { readonly code: string; readonly message: string } };
interface Heard {
  readonly v: string;
  readonly idempotency_key: string;
  readonly drop_count?: number;
  readonly input?: { readonly n?: number };
  readonly tool: { readonly name: string };
}

/** Speaks as the recorder does on its socket, and remembers. Keys are known for ever, also by one that took its place. */
class StandInRecorder {
  readonly frames: Heard[] = [];
  readonly #keys = new Map<string, number>();
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  /** A code: refuses the frame with it. `cut`: keeps it, and is gone before it answers. `choke`: doesn't keep it, and is gone. */
  refuse: (frame: Heard) => string | undefined = () => undefined;

  /** So many connections are closed as soon as they are made. */
  turnsAway = 0;

  async listen(path: string): Promise<void> {
    rmSync(path, { force: true });
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(path, resolve));
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = undefined;
  }

  get dropped(): number {
    return this.frames.reduce((sum, { drop_count = 0 }) => sum + drop_count, 0);
  }

  #serve(socket: Socket): void {
    if (this.turnsAway > 0) {
      this.turnsAway -= 1;
      return void socket.destroy();
    }
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    let received = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        const end = 4 + received.readUInt32BE(0);
        const frame = JSON.parse(received.subarray(4, end).toString()) as Heard;
        received = received.subarray(end);
        const answer = this.#answer(frame);
        if (answer === "cut") return void socket.destroy();
        const content = Buffer.from(JSON.stringify(answer));
        const header = Buffer.alloc(4);
        header.writeUInt32BE(content.length);
        socket.write(Buffer.concat([header, content]));
      }
    });
  }

  #answer(frame: Heard): Answer | "cut" {
    if (frame.v !== "1") return { error: { code: "UNKNOWN_VERSION", message: "no" } };
    const code = this.refuse(frame);
    if (code === "choke") return "cut";
    if (code !== undefined && code !== "cut") return { error: { code, message: "no" } };
    const known = this.#keys.get(frame.idempotency_key);
    if (known === undefined) {
      this.frames.push(frame);
      this.#keys.set(frame.idempotency_key, this.frames.length);
    }
    return code === "cut" ? "cut" : { seq: known ?? this.frames.length };
  }
}

/** A CA, a relay and a recorder's socket in a directory of the test's own. */
export class RelayHere {
  readonly dir: string;
  readonly recorder = new StandInRecorder();
  readonly socket: string;
  #relay: Relay | undefined;
  #port = 0;

  private constructor(t: TestContext) {
    this.dir = mkdtempSync(join(tmpdir(), "cs-relay-"));
    this.socket = join(this.dir, "recorder.sock");
    t.after(async () => {
      await this.stop();
      await this.recorder.stop();
      rmSync(this.dir, { recursive: true, force: true });
    });
  }

  static async make(t: TestContext): Promise<RelayHere> {
    const here = new RelayHere(t);
    await initCa(join(here.dir, "ca"), undefined, Date.now());
    const out = join(here.dir, "relay.pem");
    await (await here.ca()).issueForRelay(["localhost"], { out, validMs: 86_400_000, renew: false }, Date.now());
    return here;
  }

  ca() {
    return openCa(join(this.dir, "ca"));
  }

  async bundle(sandboxId: string): Promise<string> {
    const out = join(this.dir, `${sandboxId}.pem`);
    await (await this.ca()).issueForSandbox(sandboxId, { out, validMs: 3_600_000, renew: true }, Date.now());
    return out;
  }

  async start(limits: Partial<RelayLimits> = {}): Promise<void> {
    this.#relay = await this.another(limits, this.#port);
    this.#port = this.#relay.address.port;
  }

  /** On the same spool. */
  another(limits: Partial<RelayLimits> = {}, port = 0): Promise<Relay> {
    return startRelay({
      listen: { host: "127.0.0.1", port },
      health: { host: "127.0.0.1", port: 0 },
      bundle: join(this.dir, "relay.pem"),
      crl: join(this.dir, "ca", "crl.pem"),
      recorder: this.socket,
      spool: join(this.dir, "spool"),
      log: SILENT,
      limits,
    });
  }

  async stop(): Promise<void> {
    await this.#relay?.close();
    this.#relay = undefined;
  }

  get url(): URL {
    return new URL(`https://localhost:${this.#port}`);
  }

  async health(): Promise<Record<string, unknown>> {
    const { host, port } = this.#relay?.health ?? { host: "", port: 0 };
    return (await (await fetch(`http://${host}:${port}/healthz`)).json()) as Record<string, unknown>;
  }
}

export function frameOf(sandboxId: string, n: number, more: Partial<ExecdFrame> = {}): ExecdFrame {
  return {
    ...{ v: "1", ts_emit: new Date().toISOString(), session_id: sandboxId, channel: "opensandbox_execd" },
    tool: { name: "POST /command", server: "execd" },
    ...{ action_type: "system.command.execute", decision: "allowed", input: { n }, output: { exit_code: 0 } },
    idempotency_key: randomUUID(),
    binding: { sandbox_id: sandboxId, endpoint: "/command", route: "POST /command", placement: "execd" },
    coverage: { covers: ["command"], excludes: [], placement: "execd", limits: [] },
    enforcement: "none",
    ...more,
  };
}
