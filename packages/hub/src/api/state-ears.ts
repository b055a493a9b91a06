import type { HubState } from "@countersign/protocol/hub";
import { HubStateAction } from "@countersign/protocol/proposals";
import type { Hub } from "../hub/index.ts";

interface EarRooms {
  readonly hub: Pick<Hub, "state" | "stateNews">;
  readonly gone: AbortSignal;
  send(action: string, payload: object): boolean;
}

/** Whether one connection hears of how the hub stands. Only who asked does: the seeds' clients know nothing of it. */
export class StateEars {
  readonly #rooms: EarRooms;
  #stop: (() => void) | undefined;

  constructor(rooms: EarRooms) {
    this.#rooms = rooms;
    rooms.gone.addEventListener("abort", () => this.unfollow());
  }

  /** The state now; it is told anew when it changes. */
  async follow(): Promise<HubState> {
    const { hub, gone, send } = this.#rooms;
    // Before it is read: what changes meanwhile is told afterwards.
    if (!gone.aborted) this.#stop ??= hub.stateNews.listen((state) => send(HubStateAction, state));
    return await hub.state();
  }

  unfollow(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
