import type { HubState } from "@countersign/protocol/hub";
import { HubStateAction } from "@countersign/protocol/proposals";
import type { Hub } from "../hub/index.ts";

/**
 * One connection's subscription to the hub's state. Only clients that ask get it, because the seeds' clients don't know
 * it.
 */
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

  /** Returns the state now, and sends it whenever it changes. */
  async follow(): Promise<HubState> {
    // Subscribes before the state is read, so that no change is missed.
    if (!this.#gone.aborted) this.#stop ??= this.#hub.stateNews.listen((state) => this.#send(HubStateAction, state));
    return await this.#hub.state();
  }

  unfollow(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
