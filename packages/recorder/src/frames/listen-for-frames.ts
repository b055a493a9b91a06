import { chmodSync, chownSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { peerOf } from "@countersign/native";
import { FrameConnection, type FrameRooms } from "./frame-connection.ts";
import { listenAt } from "./listen-at.ts";

export interface FrameDoor {
  /** Takes nothing more, waits for what is being recorded, and answers that. */
  close(): Promise<void>;
}

/** Where other users connect, the group that may; undefined: only this user. */
export async function listenForFrames(path: string, group: number | undefined, rooms: FrameRooms): Promise<FrameDoor> {
  const connections = new Map<Socket, FrameConnection>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const peer = peerOf(socket);
    const ofUser = [...connections.values()].filter((other) => other.peer.uid === peer?.uid).length;
    if (peer === undefined || ofUser >= rooms.limits.emitterConnectionsPerUser) {
      rooms.recorder.count("TOO_MANY_CONNECTIONS");
      rooms.log.warn({ uid: peer?.uid }, "an emitter's connection was refused: too many, or nobody knows whose");
      socket.destroy();
      return;
    }
    const connection = new FrameConnection(socket, peer, rooms);
    connections.set(socket, connection);
    socket.once("close", () => connections.delete(socket));
  });
  server.maxConnections = rooms.limits.emitterConnections;
  await listenAt(server, path);
  if (group !== undefined) {
    chownSync(path, -1, group);
    chmodSync(path, 0o660);
  }
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([...connections.values()].map((connection) => connection.finish()));
      await closed;
    },
  };
}
