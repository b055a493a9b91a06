import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import {
  BwrapStatus,
  type Child,
  type Launch,
  type PseudoTerminal,
  StartGate,
  spawnLaunch,
  type TerminalSize,
} from "../process/index.ts";

export interface JailedProcess {
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  /** None where a terminal joins both. */
  readonly stderr: Readable | undefined;
  readonly ended: Promise<{ readonly exitCode: number } | { readonly signal: NodeJS.Signals }>;
  /** SIGKILL ends all that was started with it, whatever group or session they went to. */
  signal(signal: NodeJS.Signals): void;
  resize(size: TerminalSize): void;
}

/** Starts what was built. */
export async function startJailed(launch: Launch, input: boolean): Promise<JailedProcess> {
  const { child, terminal } = await spawnLaunch(launch, { input });
  return follow(child, { terminal, isSound: launch.jail?.isSound });
}

interface Around {
  readonly terminal: PseudoTerminal | undefined;
  readonly isSound: ((pid: number) => boolean | undefined) | undefined;
}

function follow(child: Child, { terminal, isSound }: Around): JailedProcess {
  const status = new BwrapStatus();
  const kill = () => {
    send(child.pid, "SIGKILL");
    status.kill();
  };
  const gate = child.gate && isSound ? new StartGate(child.gate, { isSound, kill }) : undefined;
  child.told?.on("data", (chunk: Buffer) => {
    status.push(chunk);
    if (status.childPid !== undefined) gate?.look(status.childPid);
  });
  let sent: NodeJS.Signals | undefined;
  let isOver = false;
  const ended = child.ended.then((end) => {
    // Its number may be another's from now on.
    isOver = true;
    status.kill();
    gate?.close();
    return endOf(end, sent);
  });
  return {
    ...{ pid: child.pid, stdin: child.stdin, stdout: child.stdout, stderr: terminal ? undefined : child.stderr },
    ended,
    signal: (signal) => {
      if (isOver) return;
      sent = signal;
      if (signal === "SIGKILL") return kill();
      const inside = terminal?.foregroundGroup() ?? status.childPid;
      // While it is being built there is nobody inside to be told.
      if (inside === undefined || !send(inside, signal)) send(child.pid, signal);
    },
    resize: (size) => terminal?.resize(size),
  };
}

/** bwrap tells a signal's end as a shell does, by a number that a program may exit with too: it counts as one where we sent it. */
function endOf(end: Awaited<Child["ended"]>, sent: NodeJS.Signals | undefined): Awaited<JailedProcess["ended"]> {
  if ("signal" in end) return { signal: end.signal as NodeJS.Signals };
  return sent !== undefined && end.exitCode === 128 + constants.signals[sent] ? { signal: sent } : end;
}

/** False where there is no such group any more. */
function send(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
    return false;
  }
}
