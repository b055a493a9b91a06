import { type Guard, type GuardFacts, NOTHING } from "../workspace/index.ts";
import type { Changes } from "./change-list.ts";
import { findChanges } from "./find-changes.ts";
import { guardRoot } from "./guard-root.ts";
import type { PreviewRooms } from "./preview-rooms.ts";
import type { ThrowAwayRoom } from "./throw-away-room.ts";

/** What a preview did. */
export interface DiscardedChanges extends Changes {
  readonly how: ThrowAwayRoom["how"];
  /** What it had too little of. */
  readonly full: string | undefined;
}

/** One preview's way to build a jail: as any other, but what is written to the workspace is thrown away. */
export class DiscardedRun {
  readonly #rooms: PreviewRooms;
  readonly #cancelled: AbortSignal;
  readonly #masks = new Set<string>();
  #room: ThrowAwayRoom | undefined;
  #changes: Promise<DiscardedChanges | undefined> | undefined;

  constructor(rooms: PreviewRooms, cancelled: AbortSignal) {
    this.#rooms = rooms;
    this.#cancelled = cancelled;
  }

  /** Nothing is planted by what is thrown away; so where a real run is searched after its end, this one is looked at. */
  async guard(facts: GuardFacts): Promise<Guard> {
    const { steps, masks } = await guardRoot(facts);
    for (const path of masks) this.#masks.add(path);
    const finish = async () => {
      await this.changes();
      return NOTHING;
    };
    return { steps, finish, release: () => undefined };
  }

  async room(paths: readonly string[], roots: readonly string[]): Promise<ThrowAwayRoom> {
    this.#room = await this.#rooms.open({ paths, roots }, this.#cancelled);
    return this.#room;
  }

  /** Why it must end now, if so. */
  async outgrown(): Promise<string | undefined> {
    // Once it is looked at, its end has come by itself.
    return this.#changes === undefined ? await this.#room?.outgrown() : undefined;
  }

  /** What was seen of it, once its jail is finished; undefined when there was none. */
  changes(): Promise<DiscardedChanges | undefined> {
    this.#changes ??= this.#look();
    return this.#changes;
  }

  async #look(): Promise<DiscardedChanges | undefined> {
    if (!this.#room) return undefined;
    const { how } = this.#room;
    const full = this.#room.fullness();
    return { how, full, ...(await findChanges(this.#room.layers(), this.#masks)) };
  }
}
