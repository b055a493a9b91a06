import { chmodSync, chownSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import type { Clock, Limits, Log } from "@countersign/core/base";
import { peerOf } from "@countersign/native";
import type { LedgerDraft, Store } from "@countersign/store";
import { type Backpressure, listenAt } from "../frames/index.ts";
import { HubConnection } from "./hub-connection.ts";
import type { HubRefusal } from "./hub-wire.ts";
import { MessageSocket } from "./message-socket.ts";
import type { HubPairing } from "./pairing.ts";

export interface HubServer {
  /** Connections that were refused since the start, by why. */
  readonly refused: ReadonlyMap<HubRefusal, number>;
  /** Takes nothing more from the hub; what it has told is on record when this resolves. */
  stopTaking(): Promise<void>;
  /** The hub gets what is on record, then its connection is closed. */
  close(): Promise<void>;
}

/** Connections at once, the hub's own and those that still have to show that they are it. */
const MAX_CONNECTIONS = 16;

/** Where the one hub connects that may tell this recorder what it decided. */
export async function listenForHub({
  store,
  clock,
  limits,
  log,
  pairing,
  backpressure,
  rotate,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Log;
  readonly pairing: HubPairing;
  /** Is told how far the hub is. */
  readonly backpressure: Backpressure;
  /** Changes the key, and has the new one sign a checkpoint; the receipt's number. */
  rotate(body: LedgerDraft["body"]): Promise<number>;
}): Promise<HubServer> {
  const connections = new Map<Socket, HubConnection>();
  const refused = new Map<HubRefusal, number>();
  const logged = new Set<string>();
  const note = (code: HubRefusal, uid: number | undefined, why: string) => {
    refused.set(code, (refused.get(code) ?? 0) + 1);
    // Whoever may connect could fill the log: once for each user and reason.
    if (logged.has(`${uid} ${code}`)) return;
    logged.add(`${uid} ${code}`);
    log.warn({ code, uid }, `a connection to the hub's socket was refused: ${why}`);
  };
  const refuse = (socket: Socket, code: HubRefusal, uid: number | undefined) => {
    const why = code === "WRONG_USER" ? "only the paired hub's user is taken" : "there are too many connections";
    note(code, uid, why);
    const messages = new MessageSocket(socket, { message: () => undefined, closed: () => undefined });
    void messages.send({ t: "refused", code, message: `Refused: ${why}.` });
    messages.end();
  };
  const isTaken = () => [...connections.values()].some(({ isHub }) => isHub);
  const server = createServer((socket) => {
    const peer = peerOf(socket);
    if (peer?.uid !== pairing.uid) return refuse(socket, "WRONG_USER", peer?.uid);
    if (connections.size >= MAX_CONNECTIONS) return refuse(socket, "TOO_MANY_CONNECTIONS", peer.uid);
    const onRefused = (code: HubRefusal, why: string) => note(code, peer.uid, why);
    const connection = new HubConnection(socket, {
      store,
      clock,
      limits,
      log,
      pairing,
      backpressure,
      rotate,
      isTaken,
      onRefused,
    });
    connections.set(socket, connection);
    socket.once("close", () => connections.delete(socket));
  });
  store.onAppend(() => {
    for (const connection of connections.values()) connection.follow();
  });
  await listenAt(server, pairing.socket);
  openTo(pairing);
  return {
    refused,
    async stopTaking() {
      await Promise.all([...connections.values()].map((connection) => connection.stopTaking()));
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([...connections.values()].map((connection) => connection.finish()));
      await closed;
    },
  };
}

/**
 * Root gives the socket to the hub's user. Others can't, and let everyone connect: whoever isn't that user by the kernel's word is
 * turned away before a byte of theirs is read.
 */
function openTo({ socket, uid }: HubPairing): void {
  const own = process.getuid?.();
  if (own === uid) return;
  if (own === 0) chownSync(socket, uid, -1);
  else chmodSync(socket, 0o666);
}
