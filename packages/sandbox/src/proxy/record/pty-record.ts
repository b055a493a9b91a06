import { canonicalize } from "@countersign/receipts";
import { RunningHash, sha256Text } from "../digest/index.ts";

export interface PtyEnd {
  readonly input: { readonly exit_code?: number; readonly signal?: string };
  readonly output?: { readonly io_hash: string; readonly incomplete?: true };
  readonly error?: string;
}

/**
 * What went into a terminal and came out of it, over all of its sockets. execd numbers the bytes of the output from the first one on, and each number
 * counts once, over whichever socket it came first: clients that watch together, take over from each other or come back see the same bytes
 * again. What isn't marked as incomplete is exactly what passed.
 */
export class PtyRecord {
  /** Not seen from its beginning, with a gap, or not readable. */
  isIncomplete: boolean;
  /** Without a terminal the streams are two, and a replay doesn't say which of them its bytes are of. */
  isPipe = false;
  lastSignal: string | undefined;
  #position: number;
  readonly #in = new RunningHash();
  readonly #out = new RunningHash();
  readonly #err = new RunningHash();

  constructor({ isIncomplete, position = 0 }: { readonly isIncomplete: boolean; readonly position?: number }) {
    this.isIncomplete = isIncomplete;
    this.#position = position;
  }

  /** The number of the first byte of output that hasn't come yet. */
  get position(): number {
    return this.#position;
  }

  typed(bytes: Uint8Array | string): void {
    this.#in.update(bytes);
  }

  live(stream: "stdout" | "stderr", at: number, bytes: Buffer): void {
    if (stream === "stderr") this.isPipe = true;
    this.#count(stream === "stdout" ? this.#out : this.#err, at, bytes);
  }

  replayed(at: number, bytes: Buffer): void {
    if (this.#count(this.#out, at, bytes) && this.isPipe) this.isIncomplete = true;
  }

  /** Where nobody told the exit code, that is how it ended. */
  end(exitCode: number | undefined): PtyEnd {
    if (exitCode === undefined) return { input: {}, error: "the exit code isn't known" };
    const signal = exitCode === 0 ? undefined : this.lastSignal;
    // Three streams under one hash: how they were cut into messages makes no difference.
    const streams = { stderr: this.#err.text(), stdin: this.#in.text(), stdout: this.#out.text() };
    return {
      input: { exit_code: exitCode, ...(signal ? { signal } : {}) },
      output: {
        io_hash: sha256Text(canonicalize(streams)),
        ...(this.isIncomplete ? { incomplete: true as const } : {}),
      },
    };
  }

  /** Whether any of it was new. */
  #count(stream: RunningHash, at: number, bytes: Buffer): boolean {
    const seen = this.#position - at;
    if (seen >= bytes.length) return false;
    // Nobody here has seen what is between, or the number isn't one.
    if (seen < 0 || !Number.isSafeInteger(seen)) this.isIncomplete = true;
    stream.update(seen > 0 ? bytes.subarray(seen) : bytes);
    this.#position = at + bytes.length;
    return true;
  }
}
