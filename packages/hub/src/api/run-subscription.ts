import { ExecRunEndedAction, ExecRunStartedAction, type RunView } from "@countersign/protocol/proposals";
import type { RunTold } from "../events/index.ts";
import type { Hub } from "../hub/index.ts";

/** Sends an event to the subscriber. False: too large for a frame, or the connection doesn't take it. */
type Send = (action: string, payload: object) => boolean;

/** Whether one connection hears of what begins and ends. Only who asked does: the seeds' clients know nothing of it. */
export class RunSubscription {
  readonly #runs: Hub["runs"];
  readonly #gone: AbortSignal;
  readonly #send: Send;
  #stop: (() => void) | undefined;

  constructor(runs: Hub["runs"], gone: AbortSignal, send: Send) {
    this.#runs = runs;
    this.#gone = gone;
    this.#send = send;
    gone.addEventListener("abort", () => this.unfollow());
  }

  /** What runs now; from here on it is event what changes. Once more, and the list is event anew. */
  follow(): RunView[] {
    if (!this.#gone.aborted) this.#stop ??= this.#runs.news.listen((event) => this.#forward(event));
    return this.#runs.list();
  }

  unfollow(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #forward(event: RunTold): void {
    if (event.kind === "started") this.#send(ExecRunStartedAction, event.run);
    // An edited command of any length may be in the outcome; that it ended must be event in any case.
    else if (!this.#send(ExecRunEndedAction, event.ended)) this.#send(ExecRunEndedAction, { key: event.ended.key });
  }
}
