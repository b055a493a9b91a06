import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { isMainThread } from "node:worker_threads";
import { type ChildEnd, closeOnExec, endOfPid, openPipe, posixSpawn, type SpawnRequest } from "@countersign/native";
import { nothing, type PseudoTerminal } from "./pseudo-terminal.ts";

export interface ChildRequest extends Omit<SpawnRequest, "descriptors"> {
  /** Open descriptors that the child gets as 3, 4, …; they stay open here. */
  readonly descriptors: readonly number[];
  /** Starts it in another way; its pid. */
  start?(request: SpawnRequest): Promise<number>;
  /** Whether it gets pipes behind those: one on which it tells us something, one on which it waits for us. */
  readonly pipes: 0 | 1 | 2;
  /** Whether it gets one more, behind those, on which it tells something at its end. */
  readonly reports?: boolean;
  /** Whether it gets input. */
  readonly input?: boolean;
  /** Its input and output, instead of pipes; with `stderr: false` stderr stays one. */
  readonly terminal?: { readonly pseudo: PseudoTerminal; readonly stderr: boolean } | undefined;
}

export interface Child {
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** What it tells on its first pipe. */
  readonly told: Readable | undefined;
  /** Our end of the second. */
  readonly gate: Writable | undefined;
  /** What it tells at its end. */
  readonly shellReport: Readable | undefined;
  /** When it has ended; others may hold its output open still. */
  readonly ended: Promise<{ readonly exitCode: number } | { readonly signal: string }>;
}

/** In its own session and process group, with no input unless it is asked for. Throws, or rejects, with a system error's `code`. */
export async function spawnChild(request: ChildRequest): Promise<Child> {
  closeOnExec();
  return process.platform === "linux" && isMainThread ? await spawnQuickly(request) : await spawnByNode(request);
}

/** Node would give the child sockets, and it couldn't open its `/dev/stdout`. */
async function spawnQuickly({ descriptors, start, ...request }: ChildRequest): Promise<Child> {
  const { pipes, reports, terminal, input } = request;
  const ends = new Ends();
  try {
    const slave = terminal?.pseudo.slave;
    const stdin = slave !== undefined || !input ? ends.give(slave ?? openSync("/dev/null", "r")) : ends.pipeIn();
    const stdout = slave !== undefined ? ends.give(slave) : ends.pipeOut();
    const stderr = slave !== undefined && terminal?.stderr ? ends.give(slave) : ends.pipeOut();
    const told = pipes > 0 ? ends.pipeOut() : undefined;
    const gate = pipes > 1 ? ends.pipeIn() : undefined;
    const shellReport = reports ? ends.pipeOut() : undefined;
    const { file, args, env, cwd } = request;
    const all = { file, args, env, cwd, descriptors: ends.around(descriptors) };
    const pid = start ? await start(all) : posixSpawn(all);
    ends.keep();
    return {
      pid,
      stdin: terminal ? terminal.pseudo.input() : writing(stdin),
      stdout: terminal ? terminal.pseudo.output() : (reading(stdout) as Readable),
      stderr: reading(stderr) ?? nothing(),
      told: reading(told),
      gate: writing(gate),
      shellReport: reading(shellReport),
      ended: whenEnded(pid).then(named),
    };
  } finally {
    ends.close();
  }
}

/** What the child gets as 0, 1, 2 and behind what it is handed, and our ends of it. */
class Ends {
  readonly #theirs: number[] = [];
  #ours: number[] = [];

  /** One that has no end here. */
  give(fd: number): undefined {
    this.#theirs.push(fd);
  }

  pipeOut(): number {
    const { read, write } = openPipe();
    this.#theirs.push(write);
    this.#ours.push(read);
    return read;
  }

  pipeIn(): number {
    const { read, write } = openPipe();
    this.#theirs.push(read);
    this.#ours.push(write);
    return write;
  }

  around(descriptors: readonly number[]): number[] {
    return [...this.#theirs.slice(0, 3), ...descriptors, ...this.#theirs.slice(3)];
  }

  /** Ours belong to streams from now on. */
  keep(): void {
    this.#ours = [];
  }

  close(): void {
    for (const fd of new Set([...this.#ours, ...this.#theirs])) closeSync(fd);
  }
}

function reading(fd: number | undefined): Readable | undefined {
  return fd === undefined ? undefined : new Socket({ fd, readable: true, writable: false });
}

function writing(fd: number | undefined): Writable | undefined {
  if (fd === undefined) return undefined;
  const stream = new Socket({ fd, readable: false, writable: true });
  // Whoever should read may be gone: nobody minds.
  stream.on("error", () => stream.destroy());
  return stream;
}

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number as number, name]));

function named(end: ChildEnd): Awaited<Child["ended"]> {
  return "exitCode" in end ? end : { signal: SIGNALS.get(end.signal) ?? `${end.signal}` };
}

/** Where ours isn't tried: other systems, and threads that get no signals. */
async function spawnByNode({ file, args, env, cwd, descriptors, pipes, input }: ChildRequest): Promise<Child> {
  const extra = Array.from({ length: pipes }, () => "pipe" as const);
  const child = spawn(file, args, {
    ...{ cwd, env, detached: true },
    stdio: [input ? "pipe" : "ignore", "pipe", "pipe", ...descriptors, ...extra],
  });
  const { pid } = child;
  if (pid === undefined) return await new Promise((_, reject) => child.once("error", reject));
  const [told, gate] = child.stdio.slice(3 + descriptors.length);
  return {
    pid,
    stdin: child.stdin?.on("error", () => undefined) ?? undefined,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    told: (told ?? undefined) as Readable | undefined,
    gate: (gate ?? undefined) as Writable | undefined,
    shellReport: undefined,
    ended: new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => resolve(signal ? { signal } : { exitCode: exitCode ?? 0 }));
    }),
  };
}

const waiting = new Map<number, (end: ChildEnd) => void>();
let keepAlive: NodeJS.Timeout | undefined;

/** A listener for signals doesn't keep a process alive, and a program that we are a part of may take it away. */
const LOOK_AGAIN_MS = 1_000;

/** The end of a child that Node doesn't know of, and so doesn't wait for. */
export function whenEnded(pid: number): Promise<ChildEnd> {
  if (waiting.size === 0) {
    process.on("SIGCHLD", reap);
    keepAlive = setInterval(reap, LOOK_AGAIN_MS);
  }
  return new Promise((resolve) => {
    waiting.set(pid, resolve);
    // It may have ended before we listened.
    reap();
  });
}

/** One signal may stand for several ends. */
function reap(): void {
  for (const [pid, resolve] of waiting) {
    const end = endOfPid(pid);
    if (end === undefined) continue;
    waiting.delete(pid);
    resolve(end);
  }
  if (waiting.size > 0) return;
  process.off("SIGCHLD", reap);
  clearInterval(keepAlive);
}
