import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { ExecdError, type LocalLimits } from "../http/index.ts";
import { PtySocket } from "./pty-socket.ts";
import type { Ptys } from "./ptys.ts";

/** Connects clients to terminals. */
export class PtyConnections {
  readonly #ptys: Ptys;
  readonly #limits: LocalLimits;
  readonly #server: WebSocketServer;

  constructor(ptys: Ptys, limits: LocalLimits) {
    this.#ptys = ptys;
    this.#limits = limits;
    this.#server = new WebSocketServer({ noServer: true, maxPayload: limits.maxFrameBytes, perMessageDeflate: false });
  }

  /** Throws where nobody is to be connected. Who is connected is disturbed only by a handshake that is whole. */
  open(request: IncomingMessage, socket: Duplex, asked: { id: string; query: URLSearchParams; head: Buffer }): void {
    const session = this.#ptys.get(asked.id);
    if (session.isTaken && asked.query.get("takeover") !== "1") throw alreadyConnected(asked.id);
    const since = asked.query.get("since") ?? "";
    const wish = { pipe: asked.query.get("pty") === "0", since: /^-?\d{1,15}$/.test(since) ? Number(since) : 0 };
    this.#server.handleUpgrade(request, socket, asked.head, (client) => {
      void new PtySocket(client, session, this.#limits).serve(wish);
    });
  }

  close(): void {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }
}

export function alreadyConnected(id: string): ExecdError {
  return new ExecdError(409, "ALREADY_CONNECTED", `another client is already connected to pty session ${id}`);
}
