interface ShellState {
  readonly exports: string;
  readonly cwd: string;
}

/** Most that a session keeps of its variables. */
const MAX_STATE_BYTES = 1024 * 1024;

/** Reports the non-empty lines of a run's output up to the mark, and reads the shell's state from what follows it. */
export class ShellStateReader {
  readonly #mark: string | undefined;
  readonly #maxLineBytes: number;
  readonly #report: (text: string) => void;
  #rest: Buffer = Buffer.alloc(0);
  #state: Buffer[] | undefined;
  #stateBytes = 0;

  constructor(options: { mark?: string; maxLineBytes: number; report: (text: string) => void }) {
    this.#mark = options.mark;
    this.#maxLineBytes = options.maxLineBytes;
    this.#report = options.report;
  }

  push(chunk: Buffer): void {
    if (this.#state) return this.#collect(chunk);
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, from)) {
      const line = bytes.toString("utf8", from, at);
      from = at + 1;
      if (line === this.#mark) {
        this.#state = [];
        this.#rest = Buffer.alloc(0);
        return this.#collect(bytes.subarray(from));
      }
      this.#reportLine(line);
    }
    this.#rest = Buffer.from(bytes.subarray(from));
    if (this.#rest.length > this.#maxLineBytes) this.flush();
  }

  flush(): void {
    const line = this.#rest.toString("utf8");
    this.#rest = Buffer.alloc(0);
    this.#reportLine(line);
  }

  /** Undefined if the shell exited before it printed its state, or if that is too long. */
  get state(): ShellState | undefined {
    if (!this.#state || this.#stateBytes > MAX_STATE_BYTES) return undefined;
    const [exports, cwd] = Buffer.concat(this.#state).toString("utf8").split(`${this.#mark}\n`);
    if (exports === undefined || cwd === undefined || !cwd.endsWith("\n")) return undefined;
    return { exports, cwd: cwd.slice(0, -1) };
  }

  #reportLine(line: string): void {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text !== "") this.#report(text);
  }

  #collect(chunk: Buffer): void {
    this.#stateBytes += chunk.length;
    if (this.#stateBytes <= MAX_STATE_BYTES) this.#state?.push(chunk);
  }
}
