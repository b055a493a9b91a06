import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { canonicalize } from "@countersign/receipts";
import { WebSocket, WebSocketServer } from "ws";
import { exchange, jsonRequest } from "./recording-proxy.ts";

/** Of the three streams, as on record. */
export function ioHash({ stdin = "", stdout = "", stderr = "" }): string {
  const hash = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return hash(canonicalize({ stderr: hash(stderr), stdin: hash(stdin), stdout: hash(stdout) }));
}

export const output = (text: string) => Buffer.concat([Buffer.from([1]), Buffer.from(text)]);
export const errors = (text: string) => Buffer.concat([Buffer.from([2]), Buffer.from(text)]);
export const input = (text: string) => Buffer.concat([Buffer.from([0]), Buffer.from(text)]);

export function replay(offset: number, text: string): Buffer {
  const head = Buffer.alloc(9, 3);
  head.writeBigInt64BE(BigInt(offset), 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** An execd whose terminal `p1` says what a test likes, over as many sockets as are opened. */
export class ScriptedTerminals implements AsyncDisposable {
  /** DELETEs that came. */
  deleted = 0;
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: { threshold: 0 } });
  readonly #server: Server;

  private constructor(onDelete: (response: ServerResponse, terminals: ScriptedTerminals) => void) {
    this.#server = createServer((request, response) => {
      if (request.method === "DELETE") {
        this.deleted++;
        onDelete(response, this);
      } else response.writeHead(201, { "Content-Type": "application/json" }).end('{"session_id":"p1"}');
    });
    this.#server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      this.#sockets.handleUpgrade(request, socket, head, (client) => this.#sockets.emit("connection", client));
    });
  }

  static async start(
    onDelete: (response: ServerResponse, terminals: ScriptedTerminals) => void = (response) => void response.end(),
  ): Promise<ScriptedTerminals> {
    const execd = new ScriptedTerminals(onDelete);
    execd.#server.listen(0, "127.0.0.1");
    await once(execd.#server, "listening");
    return execd;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  /** Both ends of a socket through the proxy on that port. */
  async attach(port: number, query = ""): Promise<{ readonly agent: WebSocket; readonly execd: WebSocket }> {
    const inside = once(this.#sockets, "connection") as Promise<[WebSocket]>;
    const agent = new WebSocket(`ws://127.0.0.1:${port}/pty/p1/ws${query}`);
    agent.on("error", () => agent.terminate());
    await once(agent, "open");
    return { agent, execd: (await inside)[0] };
  }

  /** To everybody who is connected. */
  end(exitCode: number): void {
    for (const client of this.#sockets.clients) {
      client.send(JSON.stringify({ type: "exit", exit_code: exitCode }));
      client.close(1000, "process exited");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

export async function openTerminal(port: number): Promise<void> {
  await exchange(port, jsonRequest("POST /pty", '{"command":"bash"}'));
}

/** Sent, and through the proxy. */
export async function pass(from: WebSocket, to: WebSocket, message: Buffer | string): Promise<void> {
  const arrived = once(to, "message");
  from.send(message);
  await arrived;
}
