import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock, Identity, Limits, Log } from "@countersign/core/base";
import { CLOSE } from "@countersign/protocol/proposals";
import { WebSocketServer } from "ws";
import type { Chats } from "../../agent/index.ts";
import type { Hub } from "../../hub/index.ts";
import type { FailedLogins, LastSeen, Tokens } from "../../identity/index.ts";
import type { AllowedOrigins } from "../../listen/index.ts";
import { type Peer, Spares } from "../index.ts";
import { Connection } from "./connection.ts";
import { EnvelopeDoor } from "./envelope-door.ts";
import { RpcDoor } from "./rpc-door.ts";
import { readTurn, Strangers } from "./strangers.ts";
import { Turns } from "./turns.ts";
import { pathOf, refuseUpgrade, takeSocket } from "./upgrade.ts";

export interface WebSocketRooms {
  readonly hub: Hub;
  readonly chats: Chats;
  readonly tokens: Tokens;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
  readonly failedLogins: FailedLogins;
  readonly origins: AllowedOrigins;
  readonly lastSeen: LastSeen;
}

/** What both dialects need beside the hub. */
export interface DialectRooms extends WebSocketRooms {
  /** Whose turn it is to be sent what waits, of all connections. */
  readonly turns: Turns;
  /** Undefined for a wrong token; "limited" when that address has tried too often. */
  login(token: string, address: string): Identity | "limited" | undefined;
  /** Ends the login deadline: the first frame has come, and it logs in or is the last. */
  heard(connection: Peer): void;
  /** Lets a revocation find this connection. */
  loggedIn(connection: Peer, identity: Identity): void;
}

export interface WebSockets {
  sayGoodbye(): void;
  /** The envelope dialect for somebody who came another way; `address` is what failed logins are counted by. */
  serveEnvelopes(peer: Peer, address: string): void;
}

/** Serves both dialects on each HTTP server: `/ws` and `/`. */
export function serveWebSockets(servers: readonly Server[], rooms: WebSocketRooms): WebSockets {
  const { limits, clock, tokens } = rooms;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.frameBytes, perMessageDeflate: false });
  const spares = new Spares();
  const byToken = new Map<string, Set<Peer>>();
  const waiting = new WeakMap<Peer, () => void>();
  const dialect: DialectRooms = {
    ...rooms,
    turns: new Turns(),
    login(token, address) {
      return rooms.failedLogins.attempt(address, token, () => tokens.identify(token));
    },
    heard: (connection) => waiting.get(connection)?.(),
    loggedIn(connection, identity) {
      const { id } = identity;
      rooms.hub.presence.connected(identity, connection.gone);
      rooms.lastSeen.connected(id, connection.gone);
      const connections = byToken.get(id) ?? new Set();
      byToken.set(id, connections.add(connection));
      connection.gone.addEventListener("abort", () => {
        connections.delete(connection);
        if (connections.size === 0 && byToken.get(id) === connections) byToken.delete(id);
      });
    },
  };
  tokens.onRevoked((id) => {
    for (const connection of byToken.get(id) ?? []) connection.close(CLOSE.unauthorized, "the token was revoked");
  });
  const doors = { "/ws": new EnvelopeDoor(dialect), "/": new RpcDoor(dialect) };
  const strangers = new Strangers(limits.strangersPerAddress, clock);
  const greet = (peer: Peer, path: keyof typeof doors, address: string, heard?: () => void) => {
    let isHeard = false;
    const deadline = clock.after(limits.loginMs, async () => {
      await readTurn();
      if (!isHeard) peer.close(CLOSE.unauthorized, "no token in time");
    });
    strangers.came(peer, address);
    waiting.set(peer, () => {
      isHeard = true;
      heard?.();
      deadline.cancel();
      strangers.left(peer, address);
    });
    peer.gone.addEventListener("abort", () => deadline.cancel());
    doors[path].serve(peer, address);
  };

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    takeSocket(socket);
    const path = pathOf(request);
    if (rooms.origins.refuse(request.headers)) return refuseUpgrade(socket, "403 Forbidden");
    if (sockets.clients.size >= limits.webSockets) return refuseUpgrade(socket, "503 Service Unavailable");
    if (!(path === "/ws" || path === "/")) return refuseUpgrade(socket, "404 Not Found");
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const connection = new Connection(ws, { clock, limits }, { socket, spares });
      const heard = boundBytes(socket, limits.strangerBytes, () => {
        connection.closeUnread(CLOSE.rateLimited, "too much before a token (limit: strangerBytes)");
      });
      greet(connection, path, request.socket.remoteAddress ?? "", heard);
    });
  };
  for (const server of servers) server.on("upgrade", upgrade);
  return {
    sayGoodbye() {
      for (const ws of sockets.clients) ws.close(GOING_AWAY, "the hub is shutting down");
    },
    serveEnvelopes: (peer, address) => greet(peer, "/ws", address),
  };
}

/**
 * Counts what comes until the returned function is called. ws gathers a frame before anybody sees it, up to 1 MiB for each of the thousands
 * that may be there without a token.
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
