import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunLimits } from "@countersign/core/config";
import { type GroupPlace, wordsIn } from "./control-groups.ts";

/** The same things under the names of both versions. Counts stand in a file of `name number` lines. */
const FILES = {
  1: {
    // The kernel skips the wait for all processors when a thread moves itself, which costs milliseconds.
    enter: "tasks",
    memory: "memory.limit_in_bytes",
    memoryAndSwap: "memory.memsw.limit_in_bytes",
    swap: undefined,
    outOfMemory: ["memory.oom_control", "oom_kill"],
  },
  2: {
    enter: "cgroup.procs",
    memory: "memory.max",
    memoryAndSwap: undefined,
    swap: "memory.swap.max",
    outOfMemory: ["memory.events", "oom_kill"],
  },
} as const;
const OUT_OF_PROCESSES = ["pids.events", "max"] as const;

/** The file to which a process writes 0 to be in this group. */
export function enterFile({ version, dir }: GroupPlace): string {
  return join(dir, FILES[version].enter);
}

export function setLimits(group: GroupPlace, { memoryBytes, processes }: RunLimits): void {
  const { version, controllers, dir } = group;
  const { memory, memoryAndSwap, swap } = FILES[version];
  if (controllers.includes("memory") && memoryBytes !== undefined) {
    writeFileSync(join(dir, memory), `${memoryBytes}`);
    // One that swaps instead of ending makes the machine crawl. A kernel may not count swap.
    if (memoryAndSwap !== undefined) writeIfThere(join(dir, memoryAndSwap), memoryBytes);
    if (swap !== undefined) writeIfThere(join(dir, swap), 0);
  }
  if (controllers.includes("pids") && processes !== undefined) writeFileSync(join(dir, "pids.max"), `${processes}`);
}

/** How often the kernel ended a process of this group because memory ran out. */
export function timesOutOfMemory({ version, controllers, dir }: GroupPlace): number {
  const [file, name] = FILES[version].outOfMemory;
  return controllers.includes("memory") ? countIn(join(dir, file), name) : 0;
}

/** How often the kernel refused to start one more process. */
export function timesOutOfProcesses({ controllers, dir }: GroupPlace): number {
  const [file, name] = OUT_OF_PROCESSES;
  return controllers.includes("pids") ? countIn(join(dir, file), name) : 0;
}

/** Ends everything in the group at once. */
export function killGroup({ dir }: Pick<GroupPlace, "dir">): void {
  const kill = join(dir, "cgroup.kill");
  if (existsSync(kill)) {
    writeFileSync(kill, "1");
    return;
  }
  for (const pid of wordsIn(join(dir, "cgroup.procs")).map(Number)) {
    // 0 stands for a process that we can't see, and to kill(2) for all that we can.
    if (pid > 1) endProcess(pid);
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
  }
}

function writeIfThere(path: string, value: number): void {
  if (existsSync(path)) writeFileSync(path, `${value}`);
}

function countIn(path: string, name: string): number {
  const line = readFileSync(path, "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
