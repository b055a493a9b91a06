import { chmodSync, chownSync, lstatSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { StartError } from "../start-error.ts";
import { FrameConnection, type FrameRooms } from "./frame-connection.ts";
import { peerOf } from "./peer.ts";

export interface FrameDoor {
  /** Takes nothing more, waits for what is being recorded, and answers that. */
  close(): Promise<void>;
}

/** Where other users connect, the group that may; undefined: only this user. */
export async function listenForFrames(path: string, group: number | undefined, rooms: FrameRooms): Promise<FrameDoor> {
  refuseOthersFile(path);
  // The home's lock is ours, so a socket that is there belonged to a hub that died.
  await rm(path, { force: true });
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // 0 for others until the mode is set: nobody gets in between.
    const umask = process.umask(0o177);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
    process.umask(umask);
  });
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

/** A path that somebody mistyped may be a file of theirs. */
function refuseOthersFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSocket()) return;
  throw new StartError("CONFIG_INVALID", `${path} isn't a socket: the recorder won't replace it.`);
}
