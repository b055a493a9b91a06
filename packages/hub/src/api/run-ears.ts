import { ExecRunEndedAction, ExecRunStartedAction, type RunView } from "@countersign/protocol/proposals";
import type { RunTold } from "../events/index.ts";
import type { Hub } from "../hub/index.ts";

interface EarRooms {
  readonly runs: Hub["runs"];
  readonly gone: AbortSignal;
  /** False: too large for a frame, or nobody takes it. */
  send(action: string, payload: object): boolean;
}

/** Whether one connection hears of what begins and ends. Only who asked does: the seeds' clients know nothing of it. */
export class RunEars {
  readonly #rooms: EarRooms;
  #stop: (() => void) | undefined;

  constructor(rooms: EarRooms) {
    this.#rooms = rooms;
    rooms.gone.addEventListener("abort", () => this.unfollow());
  }

  /** What runs now; from here on it is told what changes. Once more, and the list is told anew. */
  follow(): RunView[] {
    const { runs, gone } = this.#rooms;
    if (!gone.aborted) this.#stop ??= runs.news.listen((told) => this.#tell(told));
    return runs.list();
  }

  unfollow(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #tell(told: RunTold): void {
    const { send } = this.#rooms;
    if (told.kind === "started") send(ExecRunStartedAction, told.run);
    // An edited command of any length may be in the outcome; that it ended must be told in any case.
    else if (!send(ExecRunEndedAction, told.ended)) send(ExecRunEndedAction, { key: told.ended.key });
  }
}
