import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { isMainThread } from "node:worker_threads";
import { closeOnExec } from "./close-on-exec.ts";
import { type ChildEnd, openPipe, posixSpawn, type SpawnRequest } from "./posix-spawn.ts";
import { whenEnded } from "./reap.ts";

export interface ChildRequest extends Omit<SpawnRequest, "descriptors"> {
  /** Open descriptors that the child gets as 3, 4, …; they stay open here. */
  readonly descriptors: readonly number[];
  /** Starts it in another way; its pid. */
  start?(request: SpawnRequest): Promise<number>;
  /** Whether it gets pipes behind those: one on which it tells us something, one on which it waits for us. */
  readonly pipes: 0 | 1 | 2;
}

export interface Child {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** What it tells on its first pipe. */
  readonly told: Readable | undefined;
  /** Our end of the second. */
  readonly gate: Writable | undefined;
  /** When it has ended; others may hold its output open still. */
  readonly ended: Promise<{ readonly exitCode: number } | { readonly signal: string }>;
}

/** In its own session and process group, with no input. Throws, or rejects, with a system error's `code`. */
export async function spawnChild(request: ChildRequest): Promise<Child> {
  closeOnExec();
  return process.platform === "linux" && isMainThread ? await spawnQuickly(request) : await spawnByNode(request);
}

/** Node would give the child sockets, and it couldn't open its `/dev/stdout`. */
async function spawnQuickly({ descriptors, pipes, start, ...request }: ChildRequest): Promise<Child> {
  const theirs = [openSync("/dev/null", "r")];
  const ours: number[] = [];
  try {
    for (let at = 0; at < 2 + pipes; at += 1) {
      const { read, write } = openPipe();
      const isGate = at === 3;
      ours.push(isGate ? write : read);
      theirs.push(isGate ? read : write);
    }
    const all = { ...request, descriptors: [...theirs.slice(0, 3), ...descriptors, ...theirs.slice(3)] };
    const pid = start ? await start(all) : posixSpawn(all);
    const [stdout, stderr, told, gate] = ours.splice(0);
    return {
      pid,
      stdout: reading(stdout as number),
      stderr: reading(stderr as number),
      told: told === undefined ? undefined : reading(told),
      gate: gate === undefined ? undefined : new Socket({ fd: gate, readable: false, writable: true }),
      ended: whenEnded(pid).then(named),
    };
  } finally {
    for (const fd of [...ours, ...theirs]) closeSync(fd);
  }
}

function reading(fd: number): Readable {
  return new Socket({ fd, readable: true, writable: false });
}

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number as number, name]));

function named(end: ChildEnd): Awaited<Child["ended"]> {
  return "exitCode" in end ? end : { signal: SIGNALS.get(end.signal) ?? `${end.signal}` };
}

/** Where ours isn't tried: other systems, and threads that get no signals. */
async function spawnByNode({ file, args, env, cwd, descriptors, pipes }: ChildRequest): Promise<Child> {
  const extra = Array.from({ length: pipes }, () => "pipe" as const);
  const child = spawn(file, args, {
    ...{ cwd, env, detached: true },
    stdio: ["ignore", "pipe", "pipe", ...descriptors, ...extra],
  });
  const { pid } = child;
  if (pid === undefined) return await new Promise((_, reject) => child.once("error", reject));
  const [told, gate] = child.stdio.slice(3 + descriptors.length);
  return {
    pid,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    told: (told ?? undefined) as Readable | undefined,
    gate: (gate ?? undefined) as Writable | undefined,
    ended: new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => resolve(signal ? { signal } : { exitCode: exitCode ?? 0 }));
    }),
  };
}
