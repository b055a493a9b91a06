/**
 * What execd sends while something runs: bare JSON and an empty line, without the `data:` of server-sent events. Types are `init`, `status`, `error`,
 * `stdout`, `stderr`, `result`, `execution_complete`, `execution_count` and `ping`, which may also follow the end.
 */
export interface ExecdEvent {
  readonly type?: string;
  readonly text?: string;
  readonly results?: unknown;
  readonly error?: { readonly ename?: string; readonly evalue?: string } | null;
  /** Of an error that came too late for a status: it has no type, and no empty line after it. */
  readonly code?: unknown;
}

/** One event is held at most to be read; what is longer is passed over. */
const LONGEST_EVENT = 4 * 1024 * 1024;

/** Takes a stream apart as it passes. What isn't an event is counted, never thrown at: an answer may be anything. */
export class EventReader {
  /** Events that were too long, or no JSON. */
  unread = 0;
  readonly #onEvent: (event: ExecdEvent) => void;
  #held: Buffer[] = [];
  #length = 0;
  #skipping = false;

  constructor(onEvent: (event: ExecdEvent) => void) {
    this.#onEvent = onEvent;
  }

  push(chunk: Buffer): void {
    let from = 0;
    // A line is an event: Go writes no line feed inside of JSON.
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      this.#hold(chunk.subarray(from, at));
      this.#take();
      from = at + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
  }

  /** At the end of the stream, also one that was cut: an error without an empty line may stand there. */
  end(): void {
    this.#take();
  }

  #hold(bytes: Buffer): void {
    if (this.#skipping || bytes.length === 0) return;
    this.#length += bytes.length;
    if (this.#length > LONGEST_EVENT) {
      this.#skipping = true;
      this.#held = [];
    } else this.#held.push(Buffer.from(bytes));
  }

  #take(): void {
    const text = this.#skipping ? "" : Buffer.concat(this.#held).toString().trim();
    if (this.#skipping) this.unread++;
    this.#held = [];
    this.#length = 0;
    this.#skipping = false;
    for (const json of splitObjects(text.startsWith("data:") ? text.slice(5).trim() : text)) this.#read(json);
  }

  #read(json: string): void {
    let event: unknown;
    try {
      event = JSON.parse(json);
    } catch {
      this.unread++;
      return;
    }
    if (typeof event === "object" && event !== null && !Array.isArray(event)) this.#onEvent(event as ExecdEvent);
    else this.unread++;
  }
}

/** Two objects may stand in one line: an event, and an error that came too late. */
function splitObjects(text: string): string[] {
  if (text === "") return [];
  const seam = text.indexOf('}{"code":');
  return seam === -1 ? [text] : [text.slice(0, seam + 1), text.slice(seam + 1)];
}
