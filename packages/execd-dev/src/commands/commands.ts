import { randomUUID } from "node:crypto";
import { createWriteStream, rmSync } from "node:fs";
import { join } from "node:path";
import { type EventStream, ExecdError, type LocalLimits } from "../http/index.ts";
import {
  goEndWords,
  goErrno,
  goExitCode,
  type ProcessEnd,
  type StartedProcess,
  type StartRequest,
} from "../places/index.ts";
import { followOutput, LineSplitter, type Processes } from "../processes/index.ts";
import { type Command, CommandTable } from "./command-table.ts";

export interface CommandPlan extends Pick<StartRequest, "command" | "cwd" | "env" | "uid" | "gid"> {
  /** 0 for none. */
  readonly timeoutMs: number;
}

/** How long an interrupted command may take to leave. */
const LEAVE_MS = 3_000;

/** Commands, in the foreground and in the background. */
export class Commands {
  readonly #processes: Processes;
  readonly #limits: LocalLimits;
  readonly #stateDirectory: string;
  readonly #table: CommandTable;

  constructor(processes: Processes, limits: LocalLimits, stateDirectory: string) {
    this.#processes = processes;
    this.#limits = limits;
    this.#stateDirectory = stateDirectory;
    this.#table = new CommandTable(limits.maxRemembered, ({ log }) => log && rmSync(log.path, { force: true }));
  }

  /** Resolves when it has ended, whether somebody still listens or not. */
  async runForeground(plan: CommandPlan, stream: EventStream): Promise<void> {
    const command: Command = { id: newId(), content: plan.command, startedAt: new Date() };
    let started: StartedProcess;
    try {
      started = await this.#processes.start(plan);
    } catch (cause) {
      stream.init(command.id);
      const ename = cause instanceof ExecdError ? cause.code : "CommandExecError";
      stream.send({ type: "error", error: { ename, evalue: wordsOf(cause), traceback: null } });
      return;
    }
    command.process = started;
    this.#table.add(command);
    stream.init(command.id);
    const splitters = {
      stdout: new LineSplitter(this.#limits.maxLineBytes, (text) => stream.send({ type: "stdout", text })),
      stderr: new LineSplitter(this.#limits.maxLineBytes, (text) => stream.send({ type: "stderr", text })),
    };
    const timeout = killAfter(started, plan.timeoutMs);
    await followOutput(started, {
      // What nobody gets isn't taken apart.
      take: (name, chunk) => stream.isGone || splitters[name].push(chunk),
      whenTaken: () => stream.whenTaken(),
    });
    clearTimeout(timeout);
    splitters.stdout.flush();
    splitters.stderr.flush();
    const end = await started.ended;
    finish(command, end);
    if (goExitCode(end) === 0) {
      stream.send({ type: "execution_complete", execution_time: Date.now() - command.startedAt.getTime() });
    } else {
      const error = { ename: "CommandExecError", evalue: `${goExitCode(end)}`, traceback: [goEndWords(end)] };
      stream.send({ type: "error", error });
    }
  }

  /** Resolves when it was started. */
  async runBackground(plan: CommandPlan, stream: EventStream): Promise<void> {
    const id = newId();
    const path = join(this.#stateDirectory, `${id}.output`);
    const command: Command = { id, content: plan.command, startedAt: new Date(), log: { path } };
    stream.init(id);
    const log = createWriteStream(path, { flags: "wx", mode: 0o600 });
    // A full disk loses the log, not the command.
    log.on("error", () => undefined);
    this.#table.add(command);
    let started: StartedProcess;
    try {
      started = await this.#processes.start(plan);
    } catch (cause) {
      log.end();
      command.end = { at: new Date(), exitCode: 255, error: wordsOf(cause) };
      if (cause instanceof ExecdError) throw cause;
      throw new ExecdError(500, "RUNTIME_ERROR", `error running commands failed to start commands: ${wordsOf(cause)}`);
    }
    command.process = started;
    void this.#log(command, started, { log, timeoutMs: plan.timeoutMs });
    stream.send({ type: "execution_complete", execution_time: Date.now() - command.startedAt.getTime() });
  }

  async #log(
    command: Command,
    started: StartedProcess,
    { log, timeoutMs }: { log: ReturnType<typeof createWriteStream>; timeoutMs: number },
  ): Promise<void> {
    let left = this.#limits.maxLogBytes;
    const take = (chunk: Buffer) => {
      if (left < 0) return;
      log.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0)
        log.write(`\n[LOG_LIMIT: what follows isn't kept; the log has ${this.#limits.maxLogBytes} bytes]\n`);
    };
    const timeout = killAfter(started, timeoutMs);
    const whenTaken = async () => {
      if (log.writableNeedDrain && !log.destroyed)
        await new Promise<void>((resolve) => log.once("drain", resolve).once("close", resolve));
    };
    await followOutput(started, { take: (_name, chunk) => take(chunk), whenTaken });
    clearTimeout(timeout);
    await new Promise<void>((resolve) => log.once("close", resolve).end());
    finish(command, await started.ended);
  }

  status(id: string): Command {
    const command = this.#table.get(id);
    if (command) return command;
    throw new ExecdError(404, "INVALID_REQUEST_BODY", `command not found: ${id}`);
  }

  /** Of a background command. */
  logPath(id: string): string {
    const command = this.#table.get(id);
    if (!command) throw new ExecdError(400, "INVALID_REQUEST_BODY", `command not found: ${id}`);
    if (command.log) return command.log.path;
    throw new ExecdError(400, "INVALID_REQUEST_BODY", `command ${id} is not running in background`);
  }

  /** False where there is no such command. */
  async interrupt(id: string): Promise<boolean> {
    const command = this.#table.get(id);
    if (!command) return false;
    if (command.end || !command.process) {
      throw new ExecdError(
        500,
        "RUNTIME_ERROR",
        `error interruptting code context. command session ${id} is not running`,
      );
    }
    await endGroup(command.process);
    return true;
  }
}

/** SIGTERM, and SIGKILL for who doesn't leave. */
async function endGroup(started: StartedProcess): Promise<void> {
  started.signal("SIGTERM");
  const late = setTimeout(() => started.signal("SIGKILL"), LEAVE_MS);
  await started.ended;
  clearTimeout(late);
  started.signal("SIGKILL");
}

export function newId(): string {
  return randomUUID().replaceAll("-", "");
}

export function killAfter(
  started: StartedProcess,
  timeoutMs: number,
  onKill: () => void = () => undefined,
): NodeJS.Timeout | undefined {
  if (timeoutMs <= 0) return undefined;
  const kill = () => {
    onKill();
    started.signal("SIGKILL");
  };
  return setTimeout(kill, Math.min(timeoutMs, MAX_TIMER_MS));
}

/** Longer ones would be no wait at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function finish(command: Command, end: ProcessEnd): void {
  const exitCode = goExitCode(end);
  command.end = { at: new Date(), exitCode, error: exitCode === 0 ? "" : goEndWords(end) };
  command.process = undefined;
}

function wordsOf(cause: unknown): string {
  return cause instanceof ExecdError ? cause.message : goErrno(cause);
}
