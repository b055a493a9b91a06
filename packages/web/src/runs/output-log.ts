import type { OutputEvent, OutputStreamName } from "@countersign/protocol/proposals";
import { AnsiLine, AnsiReader, type Span } from "../text/index.ts";
import { columnsOf } from "./wrap-rows.ts";

export type OutputLine =
  | {
      readonly kind: "text";
      readonly stream: OutputStreamName;
      readonly spans: readonly Span[];
      /** Its length in characters. */
      readonly columns: number;
      /** The line was too long and continues in the next one. */
      readonly wraps: boolean;
    }
  /** The number of bytes missing from the stream here. */
  | { readonly kind: "gap"; readonly stream: OutputStreamName; readonly bytes: number };

/** Limits of the kept output: the newest lines, their number and their total size. */
export const MAX_LINES = 20_000;
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * The output of a run as lines in order of arrival. A line belongs to one stream, and ends when the other writes. Lines before the newest
 * `MAX_LINES` are dropped and counted.
 */
export class OutputLog {
  readonly #readers: Record<OutputStreamName, AnsiReader>;
  #lines: OutputLine[] = [];
  /** Index of the first kept line. Dropped ones stay in `#lines` for a while, because removing from the front of an array is slow. */
  #from = 0;
  #dropped = 0;
  #characters = 0;
  #open = new AnsiLine();
  #writes: OutputStreamName = "stdout";

  constructor() {
    this.#readers = { stdout: this.#readerOf(), stderr: this.#readerOf() };
  }

  #readerOf(): AnsiReader {
    const log = this;
    return new AnsiReader({
      get open() {
        return log.#open;
      },
      finish: (wraps) => log.#finish(wraps),
    });
  }

  /** The number of dropped lines. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The number of kept lines, including the one being written. */
  get count(): number {
    return this.#lines.length - this.#from + (this.#open.isEmpty ? 0 : 1);
  }

  push({ stream, text, omitted }: Pick<OutputEvent, "stream" | "text" | "omitted">): void {
    if (stream !== this.#writes || omitted !== undefined) {
      if (!this.#open.isEmpty) this.#finish(false);
      // The cursor of the other stream doesn't apply to this one.
      this.#open = new AnsiLine();
      this.#writes = stream;
    }
    if (omitted !== undefined) {
      this.#readers[stream].reset();
      this.#add({ kind: "gap", stream, bytes: omitted }, 0);
    }
    this.#readers[stream].push(text);
  }

  /** Index 0 is the oldest kept line. */
  line(index: number): OutputLine | undefined {
    const at = this.#from + index;
    if (at < this.#lines.length) return this.#lines[at];
    if (at > this.#lines.length || this.#open.isEmpty) return undefined;
    const spans = this.#open.spans();
    return { kind: "text", stream: this.#writes, spans, columns: columnsOf(spans), wraps: false };
  }

  /** The kept output as plain text. */
  text(): string {
    const lines: string[] = [];
    for (let index = 0; index < this.count; index += 1) {
      const line = this.line(index);
      if (line?.kind !== "text") lines.push(`[${line?.bytes ?? 0} bytes left out]\n`);
      else lines.push(`${line.spans.map(({ text }) => text).join("")}${line.wraps ? "" : "\n"}`);
    }
    return lines.join("");
  }

  #finish(wraps: boolean): void {
    const spans = this.#open.spans();
    this.#open = new AnsiLine();
    this.#add({ kind: "text", stream: this.#writes, spans, columns: columnsOf(spans), wraps }, lengthOf(spans));
  }

  #add(line: OutputLine, length: number): void {
    this.#lines.push(line);
    this.#characters += length;
    while (this.#lines.length - this.#from > MAX_LINES || this.#characters > MAX_CHARACTERS) {
      const oldest = this.#lines[this.#from];
      if (oldest?.kind === "text") this.#characters -= lengthOf(oldest.spans);
      this.#from += 1;
      this.#dropped += 1;
    }
    if (this.#from <= MAX_LINES) return;
    this.#lines = this.#lines.slice(this.#from);
    this.#from = 0;
  }
}

/** An empty line takes space too. */
function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + text.length, 16);
}
