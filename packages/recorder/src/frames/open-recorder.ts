import { readFileSync } from "node:fs";
import type { Clock, Limits, Log } from "@countersign/core/base";
import type { Config, Home } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import type { Store } from "@countersign/store";
import type { HubPace } from "./hub-pace.ts";
import { listenForFrames } from "./listen-for-frames.ts";
import type { EmitterRole } from "./place.ts";
import { type FrameCounts, Recorder } from "./recorder.ts";

interface OpenRooms {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Log;
  readonly home: Home;
  readonly config: Config;
  readonly pace?: HubPace;
  /** Whose word about sandboxes is taken now. */
  emitters(): Config["receipts"]["emitters"];
}

export interface OpenRecorder {
  readonly counts: FrameCounts;
  close(): Promise<void>;
}

/** Opens the socket that emitters send their frames to. */
export async function openRecorder(given: string | undefined, rooms: OpenRooms): Promise<OpenRecorder> {
  const { socket = rooms.home.recorderSocket, group } = rooms.config.receipts;
  const recorder = new Recorder({ ...rooms, rolesOf: (uid) => rolesOf(uid, rooms.emitters()) });
  if (process.platform !== "linux") {
    rooms.log.warn({}, "no frames are taken: who sends them is only known on Linux");
    return { counts: recorder.counts, close: async () => undefined };
  }
  const path = given ?? socket;
  const gid = path === rooms.home.recorderSocket || group === undefined ? undefined : groupId(group);
  const door = await listenForFrames(path, gid, { ...rooms, recorder });
  return { counts: recorder.counts, close: () => door.close() };
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
