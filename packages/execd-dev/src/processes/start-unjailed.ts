import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { PassThrough, Writable } from "node:stream";
import type { ProcessEnd, ProcessStarter, StartedProcess, StartRequest, TerminalSize } from "../places/index.ts";

/** Processes of this user, with all that this user may do. */
export const unjailed: ProcessStarter = {
  start: (request) => (request.terminal ? startOnTerminal(request, request.terminal) : startWithPipes(request)),
};

async function startWithPipes({ command, cwd, env, uid, gid, input }: StartRequest): Promise<StartedProcess> {
  const child = spawn("bash", ["-c", command], {
    ...{ cwd, env: { ...env }, detached: true },
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    stdio: [input ? "pipe" : "ignore", "pipe", "pipe"],
  });
  await once(child, "spawn");
  // Whoever writes to one that has ended is told by its end.
  child.stdin?.on("error", () => undefined);
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal === null ? { exitCode: code ?? 0 } : { signal }));
  });
  const pid = child.pid as number;
  return {
    ...{ pid, ended, stdin: child.stdin ?? undefined },
    stdout: child.stdout as NonNullable<typeof child.stdout>,
    stderr: child.stderr as NonNullable<typeof child.stderr>,
    signal: (signal) => void signalled(-pid, signal),
    resize: () => undefined,
  };
}

async function startOnTerminal({ command, cwd, env }: StartRequest, size: TerminalSize): Promise<StartedProcess> {
  // Loaded when the first terminal is opened: it is native code, and few ask for one.
  const { spawn: spawnTerminal } = await import("@lydell/node-pty");
  const { columns: cols, rows } = size;
  const terminal = spawnTerminal("bash", ["-c", command], { cols, rows, cwd, env: { ...env }, encoding: null });
  const stdout = new PassThrough();
  terminal.onData((data) => {
    if (!stdout.write(data)) {
      terminal.pause();
      stdout.once("drain", () => terminal.resume());
    }
  });
  let hasEnded = false;
  const ended = new Promise<ProcessEnd>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      hasEnded = true;
      stdout.end();
      resolve(signal ? { signal: nameOf(signal) } : { exitCode });
    });
  });
  return {
    ...{ pid: terminal.pid, ended, stdout, stderr: undefined },
    stdin: new Writable({
      write(chunk: Buffer, _encoding, done) {
        whileOpen(() => terminal.write(chunk as unknown as string));
        done();
      },
    }),
    signal: (signal) => {
      // It makes its group itself, and may not have come to that yet: then it is alone.
      if (!hasEnded && !signalled(-terminal.pid, signal)) signalled(terminal.pid, signal);
    },
    resize: (to) => whileOpen(() => terminal.resize(to.columns, to.rows)),
  };
}

/** One whose processes have ended throws; who is told of the end needs no other word. */
function whileOpen(act: () => void): void {
  try {
    act();
  } catch {
    return;
  }
}

function nameOf(number: number): NodeJS.Signals {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] ?? "SIGKILL") as NodeJS.Signals;
}

/** Whether there was anybody. A group's id is its first process's pid, which was started in one of its own, with a minus. */
function signalled(target: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (cause) {
    // ESRCH: all of them have ended. EPERM: what is left became another user's (sudo), and isn't ours to end.
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw cause;
    return code === "EPERM";
  }
}
