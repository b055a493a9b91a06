import assert from "node:assert/strict";
import { JailError, type MappedPath, mappedPaths } from "../base/index.ts";
import { KeptMountRoom, type MountRoom } from "./kept-mount-room.ts";

export interface MountRoomsFacts {
  /** The dropped user. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** Rooms open at once. */
  readonly maxRooms?: number;
}

interface Known {
  readonly identity: string;
  readonly room: KeptMountRoom;
}

/** The mount rooms of a root hub, each made when it is first wanted and kept while it is useful. */
export class MountRooms {
  readonly #user: MountRoomsFacts["user"];
  readonly #maxRooms: number;
  /** By their set of paths, the least recently used first. */
  readonly #known = new Map<string, Known>();
  /** Some of these are still in use. */
  readonly #retired = new Set<KeptMountRoom>();
  #closed = false;

  constructor({ user, maxRooms = 64 }: MountRoomsFacts) {
    assert(user.uid !== 0 && user.gid !== 0);
    this.#user = user;
    this.#maxRooms = maxRooms;
  }

  /** A room in which each of these host directories and files is reachable for the dropped user as if it owned them. */
  async room(paths: readonly string[]): Promise<MountRoom> {
    if (this.#closed) throw new JailError("CLOSED", "The hub is stopping");
    const mapped = mappedPaths(paths, this.#user);
    const key = mapped.map(({ path }) => path).join("\0");
    const room = this.#find(key, mapped);
    try {
      return await room.lease();
    } catch (cause) {
      if (this.#known.get(key)?.room === room) this.#retire(key);
      throw cause;
    }
  }

  close(): void {
    this.#closed = true;
    for (const room of [...this.#retired, ...[...this.#known.values()].map((known) => known.room)]) room.close();
    this.#known.clear();
    this.#retired.clear();
  }

  #find(key: string, mapped: readonly MappedPath[]): KeptMountRoom {
    const identity = mapped.map((path) => path.identity).join();
    const known = this.#known.get(key);
    if (known?.identity === identity) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known.room;
    }
    if (known) this.#retire(key);
    this.#makeSpace();
    const room = new KeptMountRoom(this.#user, mapped);
    this.#known.set(key, { identity, room });
    return room;
  }

  #retire(key: string): void {
    const room = this.#known.get(key)?.room;
    this.#known.delete(key);
    room?.retire();
    if (room?.inUse) this.#retired.add(room);
  }

  #makeSpace(): void {
    for (const room of this.#retired) if (!room.inUse) this.#retired.delete(room);
    if (this.#known.size + this.#retired.size < this.#maxRooms) return;
    const idle = [...this.#known].find(([, { room }]) => !room.inUse);
    if (!idle) throw new JailError("TOO_MANY_ROOMS", `${this.#maxRooms} mount rooms are in use`);
    this.#retire(idle[0]);
  }
}
