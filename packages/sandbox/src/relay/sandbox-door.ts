import { constants } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Bundle } from "../ca/index.ts";
import type { Log } from "../errors/index.ts";
import { type Admitted, admit, refusalNow } from "./admit.ts";
import { Handshakes } from "./handshakes.ts";
import { type Ingest, send } from "./ingest.ts";
import type { RelayLimits } from "./limits.ts";
import { type AdmissionCode, RelayError } from "./relay-error.ts";
import type { RevocationWatch } from "./watch-revocations.ts";

export interface SandboxServerOptions {
  readonly bundle: Bundle;
  readonly ingest: Ingest;
  readonly limits: RelayLimits;
  readonly log: Log;
  readonly revocations: RevocationWatch;
  readonly count: (result: string) => void;
}

/** Where sandboxes come in: TLS 1.3, each by its own certificate. */
export class SandboxDoor {
  readonly server: Server;
  readonly #ingest: Ingest;
  readonly #limits: RelayLimits;
  readonly #log: Log;
  readonly #revocations: RevocationWatch;
  readonly #count: (result: string) => void;
  readonly #connections = new Map<TLSSocket, Admitted>();
  readonly #handshakes: Handshakes;

  constructor(options: SandboxServerOptions) {
    this.#ingest = options.ingest;
    this.#limits = options.limits;
    this.#log = options.log;
    this.#revocations = options.revocations;
    this.#count = options.count;
    const { limits } = options;
    this.#handshakes = new Handshakes({ mostOfOne: limits.handshakesPerAddress, most: limits.handshakes });
    this.server = createServer(optionsOf(options), (request, response) => void this.#answer(request, response));
    this.server.maxConnections = options.limits.connections;
    this.server.keepAliveTimeout = options.limits.idleMs;
    this.server.on("connection", (socket: Socket) => {
      if (this.#handshakes.begin(socket)) return;
      options.count("TOO_MANY_HANDSHAKES");
      socket.destroy();
    });
    this.server.on("tlsClientError", () => options.count("handshake-failed"));
    // Nobody's bytes reach the HTTP parser before it is known whose they are.
    const [serve] = this.server.listeners("secureConnection");
    this.server.removeAllListeners("secureConnection");
    this.server.on("secureConnection", (socket) => {
      const { remoteAddress, remotePort } = socket;
      const end = () => this.#handshakes.end({ remoteAddress, remotePort });
      const code = this.#admit(socket);
      if (code === undefined) {
        end();
        serve?.call(this.server, socket);
        return;
      }
      // Who is refused counts until it is gone.
      socket.once("close", end);
      this.#refuse(socket, code);
    });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Those whose certificate has been revoked meanwhile. */
  closeRevoked(): void {
    for (const [socket, who] of this.#connections) {
      if (refusalNow(who, this.#revocations) === undefined) continue;
      this.#log.warn({ sandbox: who.sandboxId, serial: who.serial }, "a connection is closed: revoked");
      socket.destroy();
    }
  }

  #admit(socket: TLSSocket): AdmissionCode | undefined {
    const admission = admit(socket, this.#revocations);
    if (admission.kind === "refused") return admission.code;
    const { who } = admission;
    const others = [...this.#connections.values()].filter(({ sandboxId }) => sandboxId === who.sandboxId).length;
    if (others >= this.#limits.connectionsPerSandbox) return "TOO_MANY_CONNECTIONS";
    this.#connections.set(socket, who);
    socket.once("close", () => this.#connections.delete(socket));
    return undefined;
  }

  /** Told in HTTP, since that is what the other side reads; nothing of what it sends is. */
  #refuse(socket: TLSSocket, code: AdmissionCode): void {
    this.#count(code);
    this.#log.warn({ code, from: socket.remoteAddress }, "a connection was refused");
    const { status } = new RelayError(code, "");
    const body = JSON.stringify({ status, error: { code, message: "The relay doesn't take this certificate" } });
    const wait = code === "TOO_MANY_CONNECTIONS" ? "Retry-After: 5\r\n" : "";
    const head = `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    socket.on("error", () => socket.destroy());
    socket.resume();
    socket.end(`${head}${wait}Connection: close\r\n\r\n${body}`);
    setTimeout(() => socket.destroy(), this.#limits.lingerMs).unref();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const who = this.#connections.get(request.socket as TLSSocket);
    if (who === undefined) return void request.socket.destroy();
    const code = refusalNow(who, this.#revocations);
    if (code !== undefined) return this.#refuse(request.socket as TLSSocket, code);
    try {
      await this.#ingest.handle(request, response, who.sandboxId);
    } catch (cause) {
      // A sender that went away in the middle isn't one of ours.
      if (!request.complete) return void request.socket.destroy();
      this.#log.error({ err: cause, sandbox: who.sandboxId }, "something unforeseen happened to a request");
      const body = JSON.stringify({ status: 503, error: { code: "BUSY", message: "Something unforeseen happened" } });
      send(response, { status: 503, type: "application/json", body, retryAfterS: 1 });
    }
  }
}

function optionsOf({ bundle, limits }: SandboxServerOptions) {
  return {
    ...{ key: bundle.key, cert: bundle.cert, ca: [bundle.ca] },
    ...({ minVersion: "TLSv1.3", maxVersion: "TLSv1.3", ALPNProtocols: ["http/1.1"] } as const),
    // A session that is resumed skips the certificate: there are none.
    secureOptions: constants.SSL_OP_NO_TICKET,
    // Asked for, and judged by `admit`, so that who is refused is told why.
    ...{ requestCert: true, rejectUnauthorized: false },
    handshakeTimeout: limits.handshakeMs,
    ...{ headersTimeout: limits.headMs, requestTimeout: limits.requestMs, connectionsCheckingInterval: 1_000 },
    ...{ maxHeaderSize: 8 * 1024, keepAlive: true, noDelay: true },
  };
}
