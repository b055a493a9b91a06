import { ExecRunEndedAction, ExecRunStartedAction, type RunView } from "@countersign/protocol/proposals";
import type { RunEvent } from "../events/index.ts";
import type { Hub } from "../hub/index.ts";

/** Sends an event to the subscriber. False: too large for a frame, or the connection doesn't take it. */
type Send = (action: string, payload: object) => boolean;

/**
 * One connection's subscription to the start and end of runs. Only clients that ask get it, because the seeds' clients
 * don't know it.
 */
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

  /** Returns the current runs and sends every change from now on. A second call returns the list again. */
  follow(): RunView[] {
    if (!this.#gone.aborted) this.#stop ??= this.#runs.news.listen((event) => this.#forward(event));
    return this.#runs.list();
  }

  unfollow(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #forward(event: RunEvent): void {
    if (event.kind === "started") this.#send(ExecRunStartedAction, event.run);
    // The outcome can hold an edited command of any length. The end is sent even if that doesn't fit.
    else if (!this.#send(ExecRunEndedAction, event.ended)) this.#send(ExecRunEndedAction, { key: event.ended.key });
  }
}
