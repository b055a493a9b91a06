import type { HubState } from "@countersign/protocol/hub";
import { HubStateAction } from "@countersign/protocol/proposals";
import type { Hub } from "../hub/index.ts";

/** Whether one connection hears of how the hub stands. Only who asked does: the seeds' clients know nothing of it. */
export class StateSubscription {
  readonly #hub: Hub;
  readonly #gone: AbortSignal;
  readonly #send: (action: string, payload: object) => boolean;
  #stop: (() => void) | undefined;

  constructor(hub: Hub, gone: AbortSignal, send: (action: string, payload: object) => boolean) {
    this.#hub = hub;
    this.#gone = gone;
    this.#send = send;
    gone.addEventListener("abort", () => this.unfollow());
  }

  /** The state now; it is told anew when it changes. */
  async follow(): Promise<HubState> {
    // Before it is read: what changes meanwhile is told afterwards.
    if (!this.#gone.aborted) this.#stop ??= this.#hub.stateNews.listen((state) => this.#send(HubStateAction, state));
    return await this.#hub.state();
  }

  unfollow(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
