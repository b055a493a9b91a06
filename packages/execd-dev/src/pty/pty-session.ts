import { randomUUID } from "node:crypto";
import type { LocalLimits } from "../http/index.ts";
import { goExitCode, type StartedProcess, type TerminalSize } from "../places/index.ts";
import { followOutput, type Processes } from "../processes/index.ts";
import { type Replay, ReplayBuffer } from "./replay-buffer.ts";

/** Whoever is connected. */
export interface PtyClient {
  /** What was put out before; all that follows comes to `output`, and nothing is between the two. */
  begin(replay: Replay): void;
  output(stream: "stdout" | "stderr", chunk: Buffer): void;
  /** Before more is read. */
  whenTaken(): Promise<void>;
  exited(exitCode: number): void;
  /** Another client came in its place. */
  takenOver(): void;
}

export interface PtyStart {
  readonly cwd: string;
  /** A shell, where it is empty. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

const FIRST_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** A shell that outlives its clients, of which it has one at a time. It starts when the first comes. */
export class PtySession {
  readonly id = randomUUID();
  readonly replay: ReplayBuffer;
  readonly #start: PtyStart;
  readonly #processes: Processes;
  readonly #maxUnreadBytes: number;
  #started: StartedProcess | undefined;
  #launching: Promise<void> | undefined;
  #mode: "pty" | "pipe" = "pty";
  #client: PtyClient | undefined;
  #isClosed = false;

  constructor(processes: Processes, limits: LocalLimits, start: PtyStart) {
    this.#start = start;
    this.#processes = processes;
    this.#maxUnreadBytes = limits.maxUnreadBytes;
    this.replay = new ReplayBuffer(limits.maxReplayBytes);
  }

  get isRunning(): boolean {
    return this.#started !== undefined;
  }

  get isTaken(): boolean {
    return this.#client !== undefined;
  }

  get mode(): "pty" | "pipe" {
    return this.#mode;
  }

  async attach(client: PtyClient, wish: { pipe: boolean; since: number }): Promise<void> {
    this.#client?.takenOver();
    this.#client = client;
    if (!this.#started) {
      this.#launching ??= this.#launch(wish.pipe);
      await this.#launching;
    }
    // Another one may have come while the shell was started.
    if (this.#client === client) client.begin(this.replay.since(wish.since));
  }

  detach(client: PtyClient): void {
    if (this.#client === client) this.#client = undefined;
  }

  /** False where nothing takes it, or too much wasn't taken yet. */
  write(bytes: Buffer): boolean {
    const stdin = this.#started?.stdin;
    if (!stdin || stdin.writableLength > this.#maxUnreadBytes) return false;
    stdin.write(bytes);
    return true;
  }

  signal(signal: NodeJS.Signals): void {
    this.#started?.signal(signal);
  }

  resize(size: TerminalSize): void {
    if (this.#mode === "pty") this.#started?.resize(size);
  }

  /** Whoever is connected to what runs is told of its end, as of any other. */
  close(): void {
    this.#isClosed = true;
    this.#started?.signal("SIGKILL");
  }

  async #launch(pipe: boolean): Promise<void> {
    try {
      if (this.#isClosed) throw new Error("pty session is closing");
      const { cwd, command, env } = this.#start;
      const started = await this.#processes.start({
        command: command === "" ? "exec bash --noprofile --norc" : command,
        cwd,
        env: { ...env, TERM: env.TERM ?? "xterm-256color" },
        ...(pipe ? { input: true } : { terminal: FIRST_SIZE }),
      });
      this.#started = started;
      this.#mode = pipe ? "pipe" : "pty";
      if (this.#isClosed) started.signal("SIGKILL");
      void this.#follow(started);
    } finally {
      this.#launching = undefined;
    }
  }

  async #follow(started: StartedProcess): Promise<void> {
    await followOutput(started, {
      take: (stream, chunk) => {
        this.replay.push(chunk);
        this.#client?.output(stream, chunk);
      },
      whenTaken: async () => this.#client?.whenTaken(),
    });
    const end = await started.ended;
    this.#started = undefined;
    this.#client?.exited(goExitCode(end));
  }
}
