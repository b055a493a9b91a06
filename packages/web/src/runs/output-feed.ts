import type { OutcomeWithoutOutput } from "@countersign/protocol/proposals";
import { followOutput, type GatewayClient, GatewayError } from "@countersign/sdk";
import { type ReadonlySignal, signal } from "@preact/signals";
import { OutputLog } from "./output-log.ts";

export type FeedEnd =
  | { readonly kind: "ended"; readonly outcome: OutcomeWithoutOutput | undefined }
  /** The hub doesn't send it. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

/** Follows the output of a run from its start, across lost connections, as far as it is kept. */
export class OutputFeed {
  readonly log = new OutputLog();
  readonly #version = signal(0);
  readonly #end = signal<FeedEnd | undefined>(undefined);
  readonly #stop = new AbortController();
  #isDue = false;

  constructor(client: GatewayClient, name: string) {
    const { signal: ended } = this.#stop;
    followOutput(client, name, { onOutput: (event) => this.#take(event), signal: ended }).then(
      ({ outcome }) => this.#finish({ kind: "ended", outcome }),
      (cause: unknown) => {
        if (ended.aborted) return;
        if (!(cause instanceof GatewayError)) throw cause;
        this.#finish({ kind: "refused", code: cause.code, message: cause.message });
      },
    );
  }

  /** Changes when there is more to show, at most once per frame. */
  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  get end(): ReadonlySignal<FeedEnd | undefined> {
    return this.#end;
  }

  /** The run continues. */
  close(): void {
    this.#stop.abort();
  }

  #take(event: Parameters<OutputLog["push"]>[0]): void {
    this.log.push(event);
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#version.value += 1;
    });
  }

  #finish(end: FeedEnd): void {
    this.#end.value = end;
    this.#version.value += 1;
  }
}
