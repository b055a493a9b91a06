import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Duplex } from "node:stream";
import { type Clock, DEFAULT_LIMITS, type Limits, type Log, systemClock } from "@countersign/core/base";
import { StartError } from "@countersign/core/errors";
import { WebSocketServer } from "ws";
import { Connection, GOING_AWAY, pathOf, refuseUpgrade, takeSocket } from "../api/ws/index.ts";
import { isLoopback, readHubKey } from "../identity/index.ts";
import { closable, listenOnPort, timeLimits } from "../listen/index.ts";
import { Switchboard } from "./switchboard.ts";

export interface GatewayOptions {
  readonly log: Log;
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port?: number;
  /**
   * Key of the only hub that may register. Without it the first hub that registers keeps the gateway until it stops.
   */
  readonly hubKey?: string | undefined;
  /** Certificate and key in PEM. Without them it listens only on loopback, for a proxy that terminates TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Listens on other addresses without TLS, for a proxy on another machine or in another container. */
  readonly insecureLan?: boolean;
  readonly limits?: Limits;
  readonly clock?: Clock;
}

export interface Gateway {
  /** Address for `serve --gateway` and for clients. */
  readonly url: string;
  close(): Promise<void>;
}

export const DEFAULT_GATEWAY_PORT = 18_790;

/**
 * Starts a relay between a hub and its devices. It has no store and no token, so browsers of any origin may connect.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const {
    log,
    host = "127.0.0.1",
    port = DEFAULT_GATEWAY_PORT,
    limits = DEFAULT_LIMITS,
    clock = systemClock,
  } = options;
  if (!options.tls && !options.insecureLan && !isLoopback(host)) {
    const why = "without TLS anyone on the way could see who talks to whom, and cut it";
    throw new StartError("PORT_REFUSED", `A gateway on ${host} needs a certificate: ${why}.`);
  }
  const switchboard = new Switchboard({ clock, limits, log }, options.hubKey && readHubKey(options.hubKey));
  const server = options.tls
    ? createTlsServer({ ...timeLimits(limits), ...options.tls }, answer)
    : createServer(timeLimits(limits), answer);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.frameBytes, perMessageDeflate: false });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    takeSocket(socket);
    if (pathOf(request) !== "/ws") return refuseUpgrade(socket, "404 Not Found");
    if (sockets.clients.size >= limits.webSockets) return refuseUpgrade(socket, "503 Service Unavailable");
    sockets.handleUpgrade(request, socket, head, (ws) => switchboard.serve(new Connection(ws, { clock, limits })));
  });
  const connections = closable(server as Server);
  const address = await listenOnPort(server as Server, { host, port });
  return {
    url: `${options.tls ? "wss" : "ws"}://${address}/ws`,
    async close() {
      const closed = connections.stopListening();
      for (const ws of sockets.clients) ws.close(GOING_AWAY, "the gateway is shutting down");
      connections.endConnections();
      await closed;
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const healthy = request.method === "GET" && pathOf(request) === "/healthz";
  response.writeHead(healthy ? 200 : 404, { "content-type": "text/plain" }).end(healthy ? "ok\n" : "not found\n");
}
