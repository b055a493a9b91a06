import type { OutputEvent, OutputStreamName } from "@countersign/protocol/proposals";
import { AnsiLine, AnsiReader, type Span } from "../text/index.ts";
import { columnsOf } from "./wrap-rows.ts";

export type OutputLine =
  | {
      readonly kind: "text";
      readonly stream: OutputStreamName;
      readonly spans: readonly Span[];
      /** How many characters it has. */
      readonly columns: number;
      /** It was too long, and goes on in the next one. */
      readonly wraps: boolean;
    }
  /** So many bytes of that stream are missing here. */
  | { readonly kind: "gap"; readonly stream: OutputStreamName; readonly bytes: number };

/** What is kept of an output: the newest lines, so many and so long in all. */
export const MAX_LINES = 20_000;
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * A run's output in lines, in the order in which it came. A line is of one stream: where the other writes in its middle, it ends. What is
 * older than the newest `MAX_LINES` is dropped and counted.
 */
export class OutputLog {
  readonly #readers: Record<OutputStreamName, AnsiReader>;
  #lines: OutputLine[] = [];
  /** Those before were dropped, and still stand in `#lines`: taking from the front of an array costs all of it. */
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

  /** Lines that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Lines that are kept, the one that is being written among them. */
  get count(): number {
    return this.#lines.length - this.#from + (this.#open.isEmpty ? 0 : 1);
  }

  push({ stream, text, omitted }: Pick<OutputEvent, "stream" | "text" | "omitted">): void {
    if (stream !== this.#writes || omitted !== undefined) {
      if (!this.#open.isEmpty) this.#finish(false);
      // Where the other stream had moved to is no place of this one's.
      this.#open = new AnsiLine();
      this.#writes = stream;
    }
    if (omitted !== undefined) {
      this.#readers[stream].reset();
      this.#add({ kind: "gap", stream, bytes: omitted }, 0);
    }
    this.#readers[stream].push(text);
  }

  /** The oldest that is kept is 0. */
  line(index: number): OutputLine | undefined {
    const at = this.#from + index;
    if (at < this.#lines.length) return this.#lines[at];
    if (at > this.#lines.length || this.#open.isEmpty) return undefined;
    const spans = this.#open.spans();
    return { kind: "text", stream: this.#writes, spans, columns: columnsOf(spans), wraps: false };
  }

  /** All that is kept, without looks. */
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

/** A line without anything on it takes room, too. */
function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + text.length, 16);
}
