import type { RunOutput } from "@countersign/jail";

/** Outputs of runs that ended a moment ago, while they fit: for those who come to read them in order. */
export class RecentOutputs {
  readonly #maxBytes: number;
  readonly #outputs = new Map<string, { readonly output: RunOutput; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** By the proposal's key. */
  get(key: string): RunOutput | undefined {
    return this.#outputs.get(key)?.output;
  }

  add(key: string, output: RunOutput): void {
    if (output.size === 0) return;
    const bytes = output.size + OVERHEAD;
    this.#outputs.set(key, { output, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#outputs) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#outputs.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

const OVERHEAD = 1_024;
