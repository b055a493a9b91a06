import { closeSync, constants, fchmodSync, fchownSync, openSync, write } from "node:fs";
import { Readable, Writable } from "node:stream";
import { ReadStream } from "node:tty";
import { foregroundGroup, resizeTerminal, unlockTerminal } from "@countersign/native";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const { O_RDWR, O_NOCTTY } = constants;
/** The kernel's queue of what was typed and not read. */
const MAX_TYPED = 4_096;
const TYPE_AGAIN_MS = 10;

/**
 * A terminal for one run. It is nobody else's: what the run types into it itself (TIOCSTI) nobody would read, and it isn't the
 * terminal of whoever started the hub or the agent.
 */
export class PseudoTerminal {
  /** The run's end, for descriptors 0 to 2. Closed once it was started. */
  readonly slave: number;
  readonly #master: number;
  #isOpen = true;

  constructor(size: TerminalSize, owner: number | undefined) {
    this.#master = openSync("/dev/ptmx", O_RDWR | O_NOCTTY);
    try {
      this.slave = openSync(`/dev/pts/${unlockTerminal(this.#master)}`, O_RDWR | O_NOCTTY);
      // By default the group `tty` may write to it.
      fchmodSync(this.slave, 0o600);
      // Who runs in it opens it again by its name, `/dev/stdin` or `/dev/console`.
      if (owner !== undefined && process.getuid?.() === 0) fchownSync(this.slave, owner, -1);
      this.resize(size);
    } catch (cause) {
      closeSync(this.#master);
      throw cause;
    }
  }

  /** Its processes are told (SIGWINCH). */
  resize(size: TerminalSize): void {
    if (this.#isOpen) resizeTerminal(this.#master, size);
  }

  /** The process group that a key like Ctrl-C would reach, by the hub's count. */
  foregroundGroup(): number | undefined {
    return this.#isOpen ? foregroundGroup(this.#master) : undefined;
  }

  /** Where nothing was started. */
  close(): void {
    if (this.#isOpen) closeSync(this.#master);
    this.#isOpen = false;
  }

  /** What is written to it. It ends when nobody has the run's end open any more, which the kernel tells as EIO. */
  output(): Readable {
    const stream = new ReadStream(this.#master);
    stream.on("error", () => stream.destroy());
    stream.once("close", () => {
      this.#isOpen = false;
    });
    return stream;
  }

  /** What is typed. Never waits in the kernel: a run that reads nothing must not hold the hub up. */
  input(): Writable {
    return new Writable({
      highWaterMark: MAX_TYPED,
      write: (chunk: Buffer, _encoding, done) => this.#type(chunk, done),
    });
  }

  #type(chunk: Buffer, done: (cause?: Error | null) => void): void {
    if (!this.#isOpen || chunk.length === 0) return done();
    write(this.#master, chunk, 0, Math.min(chunk.length, MAX_TYPED), null, (cause, written) => {
      if (cause && cause.code !== "EAGAIN") return done();
      const rest = chunk.subarray(written ?? 0);
      if (cause) setTimeout(() => this.#type(rest, done), TYPE_AGAIN_MS);
      else this.#type(rest, done);
    });
  }
}

/** A stream with nothing in it. */
export function nothing(): Readable {
  return Readable.from([]);
}
