import { randomUUID } from "node:crypto";
import { newId } from "../commands/index.ts";
import type { EventStream, StreamEvent } from "../http/index.ts";
import type { StartedProcess } from "../places/index.ts";
import { followOutput, type Processes } from "../processes/index.ts";
import type { Driver } from "./drivers.ts";
import { type DriverWord, MarkedOutput } from "./marked-output.ts";

/** One piece of code that runs. */
interface Cell {
  tell(event: StreamEvent): void;
  whenTaken(): Promise<void>;
  /** Once for each stream. */
  done(): void;
  readonly stream: EventStream;
  failed: boolean;
}

/** An interpreter that keeps what code leaves. */
export class Kernel {
  readonly id = newId();
  readonly language: string;
  readonly #started: StartedProcess;
  readonly #ended: Promise<"ended">;
  #cell: Cell | undefined;

  private constructor(language: string, started: StartedProcess, mark: string, ready: () => void) {
    this.language = language;
    this.#started = started;
    const streams = {
      stdout: new MarkedOutput(mark, {
        text: (text) => this.#cell?.tell({ type: "stdout", text }),
        word: (word) => (word.event === "ready" ? ready() : this.#take(word)),
      }),
      stderr: new MarkedOutput(mark, {
        text: (text) => this.#cell?.tell({ type: "stderr", text }),
        word: () => this.#cell?.done(),
      }),
    };
    this.#ended = followOutput(started, {
      take: (name, chunk) => {
        try {
          streams[name].push(chunk);
        } catch {
          // Code that speaks in the driver's name says something unreadable: that is the end of it.
          started.signal("SIGKILL");
        }
      },
      whenTaken: async () => this.#cell?.whenTaken(),
    }).then(() => "ended" as const);
  }

  /** Undefined where the machine has no such interpreter. */
  static async start(
    language: string,
    driver: Driver,
    { processes, cwd, env }: { processes: Processes; cwd: string; env: Readonly<Record<string, string>> },
  ): Promise<Kernel | undefined> {
    const mark = randomUUID();
    const ready = Promise.withResolvers<void>();
    const started = await processes.start({
      ...{ command: driver.command, cwd, input: true },
      env: { ...env, ...driver.env, EXECD_MARK: mark },
    });
    const kernel = new Kernel(language, started, mark, ready.resolve);
    const first = await Promise.race([ready.promise, kernel.#ended]);
    return first === "ended" ? undefined : kernel;
  }

  get isBusy(): boolean {
    return this.#cell !== undefined;
  }

  /** Called back when it is gone. */
  onEnd(gone: () => void): void {
    this.#ended.then(gone);
  }

  /** Resolves when the code has ended, whether somebody still listens or not. */
  async run(code: string, stream: EventStream): Promise<void> {
    const startedAtMs = Date.now();
    const over = Promise.withResolvers<void>();
    let streams = 2;
    const cell: Cell = {
      ...{ stream, failed: false },
      tell: (event) => stream.send(event),
      whenTaken: () => stream.whenTaken(),
      done: () => {
        streams -= 1;
        if (streams === 0) over.resolve();
      },
    };
    this.#cell = cell;
    stream.init(this.id);
    this.#started.stdin?.write(`${JSON.stringify({ code })}\n`);
    const how = await Promise.race([over.promise, this.#ended]);
    this.#cell = undefined;
    if (how === "ended") {
      const error = { ename: "DeadKernelError", evalue: "the kernel has ended", traceback: [] };
      stream.send({ type: "error", error });
    } else if (!cell.failed) {
      stream.send({ type: "execution_complete", execution_time: Math.max(1, Date.now() - startedAtMs) });
    }
  }

  interrupt(): void {
    this.#started.signal("SIGINT");
  }

  close(): void {
    this.#started.signal("SIGKILL");
  }

  #take(word: Exclude<DriverWord, { event: "ready" }>): void {
    const cell = this.#cell;
    if (!cell) return;
    if (word.event === "result") {
      cell.tell({ type: "execution_count", execution_count: word.count });
      cell.tell({ type: "result", results: { text: word.text } });
    } else if (word.event === "error") {
      const { ename, evalue, traceback } = word;
      cell.failed = true;
      cell.tell({ type: "error", error: { ename, evalue, traceback } });
    } else cell.done();
  }
}
