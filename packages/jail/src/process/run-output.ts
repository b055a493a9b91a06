import { StringDecoder } from "node:string_decoder";
import { SecretsStream } from "@countersign/core/redaction";
import type { Outcome, OutputStreamName } from "@countersign/protocol/proposals";
import { CappedOutput } from "./output.ts";

/** How much of each stream: bytes of its filtered text. */
export type Position = Readonly<Record<OutputStreamName, number>>;

/** Text of one stream in its place; `omitted` bytes of it, before this, are no longer there. */
export interface OutputPart {
  readonly stream: OutputStreamName;
  readonly text: string;
  readonly omitted: number;
  /** After it. */
  readonly position: Position;
}

/** Past so many changes between the streams, what is older is in order by larger blocks. */
const MAX_TURNS = 16_384;
const START: Position = { stdout: 0, stderr: 0 };

/**
 * What a run writes: stdout and stderr apart, each with its head and tail, and in which order they came. Costs the two caps
 * and no more, whoever reads and however slowly: readers take from here what is there when they come for it.
 */
export class RunOutput {
  readonly #maxBytes: number;
  #kept: Record<OutputStreamName, CappedOutput>;
  /** Made when something is written: thousands of proposals wait without a byte. */
  #texts: Partial<Record<OutputStreamName, OutputText>> = {};
  /** Where what is kept begins. */
  #base = START;
  /** Where the other stream began to write; everything before was written before everything after. */
  #turns: Position[] = [];
  #writing: OutputStreamName | undefined;
  #listeners: readonly (() => void)[] = [];
  #onText: ((stream: OutputStreamName, text: string) => void) | undefined;
  #outcome: Outcome | undefined;
  #ended = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#kept = emptied(maxBytes);
  }

  get truncated(): boolean {
    return this.#kept.stdout.truncated || this.#kept.stderr.truncated;
  }

  /** Bytes of memory, about. */
  get size(): number {
    return this.#kept.stdout.size + this.#kept.stderr.size + this.#turns.length * TURN_BYTES;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** How the proposal ended; undefined where that isn't known. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Bytes as they came from the process. */
  write(stream: OutputStreamName, chunk: Buffer): void {
    this.#texts[stream] ??= new OutputText();
    this.writeText(stream, this.#texts[stream].push(chunk));
  }

  /** Text that may be told. */
  writeText(stream: OutputStreamName, text: string): void {
    if (text === "") return;
    if (stream !== this.#writing) this.#turn(stream);
    this.#kept[stream].push(Buffer.from(text));
    this.#onText?.(stream, text);
    this.#wake();
  }

  /** The process writes no more: what the filter held back is told too. */
  flush(): void {
    for (const stream of ["stdout", "stderr"] as const) this.writeText(stream, this.#texts[stream]?.end() ?? "");
  }

  /** Nothing was run: what the builder of its jail said isn't the command's output. */
  restart(): void {
    this.#base = this.#totals();
    this.#turns = [];
    this.#writing = undefined;
    this.#kept = emptied(this.#maxBytes);
    this.#texts = {};
  }

  toText(stream: OutputStreamName): string {
    return this.#kept[stream].toText();
  }

  /** Nothing follows, also where nothing ran. */
  finish(outcome: Outcome | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#outcome = outcome;
    this.#wake();
  }

  /** What came next after `after`, at most so many bytes of it; undefined when there is no more by now. */
  read(after: Position, maxBytes: number): OutputPart | undefined {
    const from = later(after, this.#base);
    let position = from;
    for (;;) {
      const upTo = this.#turns[this.#turnAfter(position)] ?? this.#totals();
      const stream = upTo.stdout > position.stdout ? "stdout" : "stderr";
      if (upTo[stream] <= position[stream]) return undefined;
      const base = this.#base[stream];
      const { text, at, end } = this.#kept[stream].read(position[stream] - base, upTo[stream] - base, maxBytes);
      // What the other stream lost is told with its own next text.
      if (text !== "") {
        return { stream, text, omitted: base + at - from[stream], position: { ...from, [stream]: base + end } };
      }
      position = { ...position, [stream]: base + end };
    }
  }

  /** Called whenever there is more, and at the end. Returns how to stop listening. */
  onChange(listener: () => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** For the one who gets all of it, also what isn't kept. Returns how to stop that. */
  onText(listener: (stream: OutputStreamName, text: string) => void): () => void {
    this.#onText = listener;
    return () => {
      this.#onText = undefined;
    };
  }

  #turn(stream: OutputStreamName): void {
    if (this.#writing !== undefined) this.#turns.push(this.#totals());
    if (this.#turns.length > MAX_TURNS) this.#turns = this.#turns.filter((_, index) => index % 2 === 1);
    this.#writing = stream;
  }

  #totals(): Position {
    const { stdout, stderr } = this.#base;
    return { stdout: stdout + this.#kept.stdout.total, stderr: stderr + this.#kept.stderr.total };
  }

  /** The index of the first turn with something before it that a reader at this position hasn't got. */
  #turnAfter({ stdout, stderr }: Position): number {
    let low = 0;
    let high = this.#turns.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const turn = this.#turns[middle] ?? START;
      if (turn.stdout > stdout || turn.stderr > stderr) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }
}

const TURN_BYTES = 64;

function emptied(maxBytes: number): Record<OutputStreamName, CappedOutput> {
  return { stdout: new CappedOutput(maxBytes), stderr: new CappedOutput(maxBytes) };
}

function later(one: Position, other: Position): Position {
  return { stdout: Math.max(one.stdout, other.stdout), stderr: Math.max(one.stderr, other.stderr) };
}

/** Bytes of a stream, as text that may be told: whole characters, invalid bytes replaced, secrets gone. */
export class OutputText {
  readonly #decoder = new StringDecoder("utf8");
  readonly #filter = new SecretsStream();
  /** The first half of a character of two UTF-16 units, where the filter told only that. */
  #half = "";

  push(chunk: Buffer): string {
    return this.#whole(this.#filter.push(this.#decoder.write(chunk)));
  }

  /** The rest. */
  end(): string {
    return (this.#half + this.#filter.end(this.#decoder.end())).toWellFormed();
  }

  #whole(told: string): string {
    const text = this.#half + told;
    const isCut = /[\uD800-\uDBFF]$/.test(text.slice(-1));
    this.#half = isCut ? text.slice(-1) : "";
    return isCut ? text.slice(0, -1) : text;
  }
}
