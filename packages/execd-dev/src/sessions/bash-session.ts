import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { killAfter } from "../commands/index.ts";
import { type EventStream, ExecdError, type LocalLimits } from "../http/index.ts";
import { goDuration, goEndWords, goErrno, goExitCode, type StartedProcess } from "../places/index.ts";
import { followOutput, type Processes } from "../processes/index.ts";
import { quoted, sessionScript } from "./session-script.ts";
import { ShellStateReader } from "./shell-state-reader.ts";

export interface SessionRun {
  readonly command: string;
  /** Instead of where the session stands. */
  readonly cwd: string | undefined;
  readonly timeoutMs: number;
  /** For this run alone. */
  readonly envs?: ReadonlyMap<string, string>;
}

/**
 * A shell whose exported variables and directory are kept from one run to the next; nothing else is, since each run is a shell of its own, as with a stock
 * execd. One that ends itself (`exit`) leaves the session as it was.
 */
export class BashSession {
  readonly id = randomUUID();
  readonly #processes: Processes;
  readonly #limits: LocalLimits;
  readonly #env: Readonly<Record<string, string>>;
  readonly #running = new Set<StartedProcess>();
  #cwd: string;
  /** `export -p` of the last run. */
  #exports = "";

  constructor(
    processes: Processes,
    limits: LocalLimits,
    start: { cwd: string; env: Readonly<Record<string, string>> },
  ) {
    this.#processes = processes;
    this.#limits = limits;
    this.#env = start.env;
    this.#cwd = start.cwd;
  }

  /** Ended when its client leaves. */
  async run({ command, cwd = this.#cwd, timeoutMs, envs }: SessionRun, stream: EventStream): Promise<void> {
    const startedAtMs = Date.now();
    stream.init(this.id);
    const mark = `__${randomUUID()}__`;
    const script = sessionScript({ command, cwd, exports: this.#exports, mark, envs });
    const started = await this.#processes.start({ command: script, cwd, env: this.#env }).catch((cause) => {
      if (cause instanceof ExecdError) throw cause;
      throw failed(`start bash: ${goErrno(cause)}`);
    });
    this.#running.add(started);
    let isLate = false;
    const timeout = killAfter(started, timeoutMs, () => {
      isLate = true;
    });
    const { maxLineBytes } = this.#limits;
    const stdout = new ShellStateReader({
      mark,
      maxLineBytes,
      report: (text) => stream.send({ type: "stdout", text }),
    });
    const stderr = new ShellStateReader({ maxLineBytes, report: (text) => stream.send({ type: "stderr", text }) });
    const whenGone = stream.onGone(() => started.signal("SIGKILL"));
    try {
      await followOutput(started, {
        take: (name, chunk) => (name === "stdout" ? stdout : stderr).push(chunk),
        whenTaken: () => stream.whenTaken(),
      });
    } finally {
      clearTimeout(timeout);
      whenGone();
      this.#running.delete(started);
    }
    stdout.flush();
    stderr.flush();
    const end = await started.ended;
    if (isLate && "signal" in end)
      throw failed(`timeout after ${goDuration(timeoutMs)} while running command ${quoted(command)}`);
    this.#keep(stdout);
    const exitCode = goExitCode(end);
    if (exitCode === 0) stream.send({ type: "execution_complete", execution_time: Date.now() - startedAtMs });
    else {
      const error = { ename: "CommandExecError", evalue: `${exitCode}`, traceback: [goEndWords(end)] };
      stream.send({ type: "error", error });
    }
  }

  #keep({ state }: ShellStateReader): void {
    if (!state) return;
    this.#exports = state.exports;
    // Whatever a shell says that it stands in: `pwd` may be a function of its own.
    if (/^\/[^\0]*$/.test(state.cwd)) this.#cwd = resolve(state.cwd);
  }

  close(): void {
    for (const started of this.#running) started.signal("SIGKILL");
  }
}

function failed(reason: string): ExecdError {
  return new ExecdError(500, "RUNTIME_ERROR", `error running in session. ${reason}`);
}
