import { chmodSync, chownSync, readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import type { Clock, Limits, Log } from "@countersign/core/base";
import type { Config, Home } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import { peerOf } from "@countersign/native";
import type { Store } from "@countersign/store";
import type { EmitterRole } from "./attribution.ts";
import type { Backpressure } from "./backpressure.ts";
import { FrameConnection } from "./frame-connection.ts";
import { listenAt } from "./listen-at.ts";
import { type FrameCounts, Recorder } from "./recorder.ts";

export interface OpenRecorder {
  readonly counts: FrameCounts;
  close(): Promise<void>;
}

/** Opens the socket that emitters send their frames to. */
export async function openRecorder(
  given: string | undefined,
  {
    store,
    clock,
    limits,
    log,
    home,
    config,
    backpressure,
    emitters,
  }: {
    readonly store: Pick<Store, "record">;
    readonly clock: Clock;
    readonly limits: Limits;
    readonly log: Log;
    readonly home: Home;
    readonly config: Config;
    readonly backpressure?: Backpressure | undefined;
    /** Whose word about sandboxes is taken now. */
    emitters(): Config["receipts"]["emitters"];
  },
): Promise<OpenRecorder> {
  const { socket = home.recorderSocket, group } = config.receipts;
  const recorder = new Recorder({ store, clock, limits, backpressure, rolesOf: (uid) => rolesOf(uid, emitters()) });
  if (process.platform !== "linux") {
    log.warn({}, "no frames are taken: who sends them is only known on Linux");
    return { counts: recorder.counts, close: async () => undefined };
  }
  const path = given ?? socket;
  const gid = path === home.recorderSocket || group === undefined ? undefined : groupId(group);
  const close = await listenForFrames(path, gid, { recorder, clock, limits, log });
  return { counts: recorder.counts, close };
}

/** Where other users connect, the group that may; undefined: only this user. */
async function listenForFrames(
  path: string,
  group: number | undefined,
  {
    recorder,
    clock,
    limits,
    log,
  }: { readonly recorder: Recorder; readonly clock: Clock; readonly limits: Limits; readonly log: Log },
): Promise<() => Promise<void>> {
  const connections = new Map<Socket, FrameConnection>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const peer = peerOf(socket);
    const ofUser = [...connections.values()].filter((other) => other.peer.uid === peer?.uid).length;
    if (peer === undefined || ofUser >= limits.emitterConnectionsPerUser) {
      recorder.count("TOO_MANY_CONNECTIONS");
      log.warn({ uid: peer?.uid }, "an emitter's connection was refused: too many, or nobody knows whose");
      socket.destroy();
      return;
    }
    const connection = new FrameConnection(socket, peer, { recorder, clock, limits, log });
    connections.set(socket, connection);
    socket.once("close", () => connections.delete(socket));
  });
  server.maxConnections = limits.emitterConnections;
  await listenAt(server, path);
  if (group !== undefined) {
    chownSync(path, -1, group);
    chmodSync(path, 0o660);
  }
  // Takes nothing more, waits for what is being recorded, and answers that.
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.all([...connections.values()].map((connection) => connection.finish()));
    await closed;
  };
}

function rolesOf(uid: number, emitters: Config["receipts"]["emitters"]): readonly EmitterRole[] {
  return emitters.filter((emitter) => emitter.uid === uid).map(({ role }) => role);
}

/** `name:password:number:members`, one a line. Directories that only the system's own lookup knows need the number. */
function groupId(group: string | number): number {
  if (typeof group === "number") return group;
  const line = readFileSync("/etc/group", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${group}:`));
  const id = Number(line?.split(":")[2] ?? Number.NaN);
  if (Number.isInteger(id)) return id;
  throw new StartError(
    "CONFIG_INVALID",
    `receipts.group: /etc/group has no ${group}. Make the group, or give its number.`,
  );
}
