import { canonicalize } from "@countersign/receipts";
import { EventReader, type ExecdEvent } from "../../wire/index.ts";
import { RunningHash } from "../digest/index.ts";

/**
 * What a stream of events says of a run. It has no field for an exit code: `execution_complete` is success, and an error's `evalue` is the
 * code as a text, "-1" for what ran out of time or was interrupted.
 */
export class ExecutionTap {
  /** Execd's name for it, from the `init` event. */
  id: string | undefined;
  exitCode: number | undefined;
  /** The last word of the run, of whatever kind. */
  hasEnded = false;
  /** The name of an error, or the code of one that came too late for a status. */
  error: string | undefined;
  readonly #results = new RunningHash();
  readonly #logs = new RunningHash();
  readonly #reader = new EventReader((event) => this.#take(event));

  /** A part of an event may wait for its rest. */
  readonly keeps = true;

  content(bytes: Buffer): void {
    this.#reader.push(bytes);
  }

  /** As of other answers; what events say is hashed when it is read. */
  end(): null {
    this.#reader.end();
    return null;
  }

  readonly isBehind = false;

  /** Events that weren't read: they aren't in the hashes. */
  get unread(): number {
    return this.#reader.unread;
  }

  /**
   * Of each `results` object, and of each `[type, text]` of what was written: its canonical form and a line feed. Times aren't in it, so
   * whoever has the texts can tell.
   */
  get hashes(): { readonly result_hash: string; readonly logs_hash: string } {
    return { result_hash: this.#results.text(), logs_hash: this.#logs.text() };
  }

  #take(event: ExecdEvent): void {
    switch (event.type) {
      case "init":
        if (typeof event.text === "string" && event.text !== "") this.id ??= event.text;
        return;
      case "result":
        return this.#hash(this.#results, event.results ?? null);
      case "stdout":
      case "stderr":
        return this.#hash(this.#logs, [event.type, event.text ?? ""]);
      case "execution_complete":
        this.hasEnded = true;
        this.exitCode ??= 0;
        return;
      case "error":
        return this.#fail(event);
      case undefined:
        if (event.code !== undefined) this.error ??= String(event.code).slice(0, 200);
        return;
      default:
        return;
    }
  }

  #fail({ error, text }: ExecdEvent): void {
    this.hasEnded = true;
    const value = String(error?.evalue ?? "");
    if (/^-?\d{1,9}$/.test(value)) this.exitCode ??= Number(value);
    this.error ??= String(error?.ename ?? text ?? "error").slice(0, 200);
  }

  #hash(hash: RunningHash, value: unknown): void {
    try {
      hash.update(`${canonicalize(value)}\n`);
    } catch {
      // Half a surrogate pair, or deeper than anything of ours: counted as what couldn't be read.
      this.#reader.unread++;
    }
  }
}
