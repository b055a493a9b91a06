import { once } from "node:events";
import type { OutputEvent } from "@countersign/protocol/proposals";

/**
 * A command's output as it comes, each stream to its own. It goes through untouched, colours too: that is what the caller
 * ran it for.
 */
export class LiveOutput {
  readonly #stop: () => void;
  #closed = false;
  readonly #onError = (cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EPIPE") throw cause;
    if (!this.#closed) this.#stop();
    this.#closed = true;
  };

  /** `stop` is called once nobody reads it any more. */
  constructor(stop: () => void) {
    this.#stop = stop;
    process.stdout.on("error", this.#onError);
    process.stderr.on("error", this.#onError);
  }

  /** Resolves when more can be taken. */
  async print({ stream, text, omitted }: OutputEvent): Promise<void> {
    if (this.#closed) return;
    if (omitted !== undefined) {
      process.stderr.write(`countersign: ${omitted} bytes of ${stream} were left out here.\n`);
    }
    if (process[stream].write(text)) return;
    await Promise.race([once(process[stream], "drain"), once(process[stream], "close")]).catch(() => undefined);
  }

  close(): void {
    // What was written may still fail to be read; main's own listener takes stdout's.
    process.stdout.off("error", this.#onError);
  }
}
