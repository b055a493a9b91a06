import type { Writable } from "node:stream";
import type { OutputStreamName } from "@countersign/protocol/proposals";
import type { TerminalSize } from "./pseudo-terminal.ts";
import type { ShellReport } from "./shell-report.ts";

/** A terminal as whoever claimed the run has one. */
export interface TerminalRequest extends TerminalSize {
  /** What it understands: the value of TERM. */
  readonly name: string;
  /** False where stderr goes elsewhere. */
  readonly stderr: boolean;
}

interface Wish {
  readonly input: boolean;
  readonly terminal?: TerminalRequest | undefined;
}

/** The run's side. */
interface Plug {
  readonly input: Writable | undefined;
  resize(size: TerminalSize): void;
}

export interface AttachedText {
  readonly stream: OutputStreamName;
  readonly text: string;
}

/** What may wait to be taken before the run waits. */
const MAX_WAITING = 256 * 1024;

/**
 * Whoever claimed a run and stays with it, as a shell stays with a command: they get all that it writes, in order, and it waits for
 * them; and they may give it input. What is kept of the output for the record is bounded apart from that.
 */
export class Attachment {
  readonly wantsInput: boolean;
  readonly terminal: TerminalRequest | undefined;
  #waiting: AttachedText[] = [];
  #size = 0;
  #over = false;
  #wake: () => void = () => undefined;
  #taken: (() => void)[] = [];
  #plugged = Promise.withResolvers<Plug>();
  #terminalSize: TerminalSize | undefined;
  #shellReport: ShellReport | undefined;

  constructor({ input, terminal }: Wish) {
    this.wantsInput = input;
    this.terminal = terminal;
  }

  get inputKind(): "stream" | "terminal" | undefined {
    if (this.terminal) return "terminal";
    return this.wantsInput ? "stream" : undefined;
  }

  write(stream: OutputStreamName, text: string): void {
    if (this.#over) return;
    this.#waiting.push({ stream, text });
    this.#size += text.length;
    this.#wake();
  }

  /** Undefined while there is room for more. */
  whenTaken(): Promise<void> | undefined {
    if (this.#over || this.#size < MAX_WAITING) return undefined;
    return new Promise((resolve) => this.#taken.push(resolve));
  }

  /** Nothing follows. */
  finish(): void {
    this.#over = true;
    this.#wake();
    for (const resolve of this.#taken.splice(0)) resolve();
    this.#plugged.resolve({ input: undefined, resize: () => undefined });
  }

  /** Everything until the end. What came together is told together. */
  async *texts(): AsyncGenerator<AttachedText> {
    for (;;) {
      const [first] = this.#waiting;
      if (first) yield this.#take(first.stream);
      else if (this.#over) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** What the run's shell told when it left. */
  get shellReport(): ShellReport | undefined {
    return this.#shellReport;
  }

  setShellReport(shellReport: ShellReport): void {
    this.#shellReport = shellReport;
  }

  /** Input goes to what runs now; returns how to say that it doesn't any more. */
  plug(plug: Plug): () => void {
    if (this.#terminalSize) plug.resize(this.#terminalSize);
    this.#plugged.resolve(plug);
    return () => {
      if (!this.#over) this.#plugged = Promise.withResolvers();
    };
  }

  /** Resolves when it was taken, or nobody wants it any more. */
  async give(chunk: Buffer): Promise<void> {
    const { input } = await this.#plugged.promise;
    if (!input || input.destroyed || input.writableEnded) return;
    await new Promise<void>((resolve) => {
      input.once("close", resolve);
      input.write(chunk, () => {
        input.off("close", resolve);
        resolve();
      });
    });
  }

  async endInput(): Promise<void> {
    (await this.#plugged.promise).input?.end();
  }

  async resize(size: TerminalSize): Promise<void> {
    this.#terminalSize = size;
    (await this.#plugged.promise).resize(size);
  }

  #take(stream: OutputStreamName): AttachedText {
    let text = "";
    let count = 0;
    for (const one of this.#waiting) {
      if (one.stream !== stream || (count > 0 && text.length + one.text.length > MAX_TOLD)) break;
      text += one.text;
      count += 1;
    }
    this.#waiting.splice(0, count);
    this.#size -= text.length;
    if (this.#size < MAX_WAITING) for (const resolve of this.#taken.splice(0)) resolve();
    return { stream, text };
  }
}

/** In one line of the socket. */
const MAX_TOLD = 64 * 1024;
