import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Identity, silentLog } from "@countersign/core/base";
import { type Served, serve } from "@countersign/hub";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { ApprovalDecision } from "@countersign/vocabulary";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { McpProxy } from "../src/mcp/proxy/proxy.ts";

type Cleaner = { after(fn: () => unknown): void };

const ANN: Identity = { id: "ann", role: "approver", name: "ann", sameUser: false, unattended: false };

/** A hub of the tests' own, with real files and a real socket. */
export interface ProxyHub {
  readonly homeDir: string;
  readonly workspace: string;
  served: Served | undefined;
  open(): Promise<Served>;
  close(): Promise<void>;
  /** The one approval that waits, once there is one. */
  asked(): Promise<ExecApprovalRequestPayload>;
  answer(decision: ApprovalDecision, reason?: string): Promise<ExecApprovalRequestPayload>;
}

export async function openProxyHub(t: Cleaner, profile: object = {}): Promise<ProxyHub> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "cs-mcp-")));
  const homeDir = join(root, "home");
  const workspace = join(root, "work");
  mkdirSync(workspace);
  mkdirSync(join(homeDir, "profiles", "default"), { recursive: true, mode: 0o700 });
  writeFileSync(join(homeDir, "profiles", "default", "config.json"), JSON.stringify({ execApproval: profile }));
  const hub: ProxyHub = {
    homeDir,
    workspace,
    served: undefined,
    async open() {
      hub.served = await serve({ homeDir, cwd: workspace, port: 0, log: silentLog });
      return hub.served;
    },
    async close() {
      await hub.served?.close();
      hub.served = undefined;
    },
    async asked() {
      for (;;) {
        const [card] = (await hub.served?.hub.approvals.list({ limit: 10 }, ANN)) ?? [];
        if (card) return card;
        await new Promise(setImmediate);
      }
    },
    async answer(decision, reason) {
      const card = await hub.asked();
      await hub.served?.hub.answer(card.approvalId, { decision, ...(reason === undefined ? {} : { reason }) }, ANN);
      return card;
    },
  };
  t.after(async () => {
    await hub.close();
    rmSync(root, { recursive: true, force: true });
  });
  await hub.open();
  return hub;
}

/** One end of a connection whose lines are handed on in this process. */
class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #send: (line: Buffer) => Promise<void>;

  constructor(send: (line: Buffer) => Promise<void>) {
    this.#send = send;
  }

  async start(): Promise<void> {
    // Both ends are there already.
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#send(Buffer.from(JSON.stringify(message)));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  receive(line: string | Uint8Array): void {
    this.onmessage?.(JSON.parse(Buffer.from(line as Uint8Array).toString("utf8")) as JSONRPCMessage);
  }
}

export interface Proxied {
  readonly client: Client;
  readonly proxy: McpProxy;
  /** Every line that the client and the server were sent. */
  readonly toClient: string[];
  readonly toServer: string[];
  readonly warnings: string[];
}

export interface ProxiedOptions {
  readonly homeDir: string;
  readonly name?: string;
  readonly client?: Client;
}

/** An official client, the proxy, and an official server. */
export async function proxied(
  server: Server,
  { homeDir, name = "every", client = newClient() }: ProxiedOptions,
): Promise<Proxied> {
  const lines = { toClient: [] as string[], toServer: [] as string[], warnings: [] as string[] };
  const proxy: McpProxy = new McpProxy({
    homeDir,
    server: name,
    session: "mcp:test",
    toClient: async (line) => {
      lines.toClient.push(Buffer.from(line as Uint8Array).toString("utf8"));
      clientEnd.receive(line);
    },
    toServer: async (line) => {
      lines.toServer.push(line);
      serverEnd.receive(line);
    },
    warn: (sentence) => lines.warnings.push(sentence),
  });
  const clientEnd = new LineTransport((line) => proxy.fromClient(line));
  const serverEnd = new LineTransport((line) => proxy.fromServer(line));
  await server.connect(serverEnd);
  await client.connect(clientEnd);
  return { client, proxy, ...lines };
}

export function newClient(): Client {
  const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
  return new Client({ name: "test", version: "1" }, { capabilities });
}

/** The same client and server with nothing between them. */
export async function direct(server: Server, client = newClient()): Promise<Client> {
  const clientEnd: LineTransport = new LineTransport(async (line) => serverEnd.receive(line));
  const serverEnd: LineTransport = new LineTransport(async (line) => clientEnd.receive(line));
  await server.connect(serverEnd);
  await client.connect(clientEnd);
  return client;
}
