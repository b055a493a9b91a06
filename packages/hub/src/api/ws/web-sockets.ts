import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock, Limits } from "@countersign/core/base";
import { CLOSE } from "@countersign/protocol/proposals";
import { WebSocketServer } from "ws";
import type { Chats } from "../../agent/index.ts";
import type { Hub } from "../../hub/index.ts";
import type { FailedLogins, LastSeen, Tokens } from "../../identity/index.ts";
import type { AllowedOrigins } from "../../listen/index.ts";
import { type Peer, Spares } from "../index.ts";
import { Connection } from "./connection.ts";
import { EnvelopeServer } from "./envelope-server.ts";
import { FairQueue } from "./fair-queue.ts";
import { Logins } from "./logins.ts";
import { RpcServer } from "./rpc-server.ts";
import { pathOf, refuseUpgrade, takeSocket } from "./upgrade.ts";

interface WebSocketOptions {
  readonly hub: Hub;
  readonly chats: Chats;
  readonly tokens: Tokens;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly failedLogins: FailedLogins;
  readonly origins: AllowedOrigins;
  readonly lastSeen: LastSeen;
}

export interface WebSockets {
  sayGoodbye(): void;
  /** Serves the envelope dialect to a peer that connected in another way. Failed logins are counted by `address`. */
  serveEnvelopes(peer: Peer, address: string): void;
}

/** Serves both dialects on each HTTP server: `/ws` and `/`. */
export function serveWebSockets(servers: readonly Server[], options: WebSocketOptions): WebSockets {
  const { hub, chats, tokens, limits, clock, failedLogins, origins, lastSeen } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.frameBytes, perMessageDeflate: false });
  const spares = new Spares();
  const logins = new Logins({ hub, tokens, failedLogins, lastSeen, limits, clock });
  const queue = new FairQueue();
  const dialects = {
    "/ws": new EnvelopeServer({ hub, limits, logins, queue }),
    "/": new RpcServer({ hub, chats, limits, logins, queue }),
  };
  const serve = (peer: Peer, path: keyof typeof dialects, address: string, onHeard?: () => void) => {
    logins.expect(peer, address, onHeard);
    dialects[path].serve(peer, address);
  };

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    takeSocket(socket);
    const path = pathOf(request);
    if (origins.refuse(request.headers)) return refuseUpgrade(socket, "403 Forbidden");
    if (sockets.clients.size >= limits.webSockets) return refuseUpgrade(socket, "503 Service Unavailable");
    if (!(path === "/ws" || path === "/")) return refuseUpgrade(socket, "404 Not Found");
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const connection = new Connection(ws, { clock, limits }, { socket, spares });
      const heard = boundBytes(socket, limits.strangerBytes, () => {
        connection.closeUnread(CLOSE.rateLimited, "too much before a token (limit: strangerBytes)");
      });
      serve(connection, path, request.socket.remoteAddress ?? "", heard);
    });
  };
  for (const server of servers) server.on("upgrade", upgrade);
  return {
    sayGoodbye() {
      for (const ws of sockets.clients) ws.close(GOING_AWAY, "the hub is shutting down");
    },
    serveEnvelopes: (peer, address) => serve(peer, "/ws", address),
  };
}

/**
 * Calls `tooMany` after `most` bytes, until the returned function is called. ws would collect a frame of up to 1 MiB
 * for each of thousands of connections without a token.
 */
function boundBytes(socket: Duplex, most: number, tooMany: () => void): () => void {
  let left = most;
  const stop = () => void socket.off("data", count);
  const count = (chunk: Buffer) => {
    left -= chunk.length;
    if (left >= 0) return;
    stop();
    tooMany();
  };
  socket.on("data", count);
  return stop;
}

/** RFC 6455, 7.4.1. */
export const GOING_AWAY = 1001;
