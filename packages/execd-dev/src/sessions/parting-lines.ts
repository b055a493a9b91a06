export interface Parting {
  readonly exports: string;
  readonly cwd: string;
}

/** What a session may keep. */
const MAX_PARTING_BYTES = 1024 * 1024;

/** The lines of a run, without those that are empty, up to the mark; what follows it is what the run leaves. */
export class PartingLines {
  readonly #mark: string | undefined;
  readonly #maxLineBytes: number;
  readonly #tell: (text: string) => void;
  #rest: Buffer = Buffer.alloc(0);
  #left: Buffer[] | undefined;
  #leftBytes = 0;

  constructor(options: { mark?: string; maxLineBytes: number; tell: (text: string) => void }) {
    this.#mark = options.mark;
    this.#maxLineBytes = options.maxLineBytes;
    this.#tell = options.tell;
  }

  push(chunk: Buffer): void {
    if (this.#left) return this.#leave(chunk);
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, from)) {
      const line = bytes.toString("utf8", from, at);
      from = at + 1;
      if (line === this.#mark) {
        this.#left = [];
        this.#rest = Buffer.alloc(0);
        return this.#leave(bytes.subarray(from));
      }
      this.#tellLine(line);
    }
    this.#rest = Buffer.from(bytes.subarray(from));
    if (this.#rest.length > this.#maxLineBytes) this.flush();
  }

  flush(): void {
    const line = this.#rest.toString("utf8");
    this.#rest = Buffer.alloc(0);
    this.#tellLine(line);
  }

  /** Undefined where the run didn't get so far, or leaves more than is kept. */
  get parting(): Parting | undefined {
    if (!this.#left || this.#leftBytes > MAX_PARTING_BYTES) return undefined;
    const [exports, cwd] = Buffer.concat(this.#left).toString("utf8").split(`${this.#mark}\n`);
    if (exports === undefined || cwd === undefined || !cwd.endsWith("\n")) return undefined;
    return { exports, cwd: cwd.slice(0, -1) };
  }

  #tellLine(line: string): void {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text !== "") this.#tell(text);
  }

  #leave(chunk: Buffer): void {
    this.#leftBytes += chunk.length;
    if (this.#leftBytes <= MAX_PARTING_BYTES) this.#left?.push(chunk);
  }
}
