import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunLimits, runLimits } from "@countersign/core/config";
import { type Controller, findHierarchies } from "../process/index.ts";
import { type GroupPlace, giveControllers, placeForGroups, wordsIn } from "./control-groups.ts";

const NAME = "countersign";
const SHELL = "/bin/sh";

/** As many as run at once now and then. */
const MOST_IDLE = 8;

/** The kernel's control groups, where the hub may make some: one for all its runs, and in it one for each. */
export class Cgroups {
  readonly #groups: readonly GroupPlace[];
  /** Of runs that have ended: to make one and to take it away costs the kernel more than all the rest of it. */
  readonly #idle: RunCgroup[] = [];
  readonly #limits: RunLimits;
  #made = 0;

  private constructor(groups: readonly GroupPlace[], limits: RunLimits) {
    this.#groups = groups;
    this.#limits = limits;
  }

  /** Undefined where none can be made; found out by putting a process into one. */
  static probe(limits: RunLimits): Cgroups | undefined {
    const hierarchies = findHierarchies(
      readFileSync("/proc/self/mountinfo", "utf8"),
      readFileSync("/proc/self/cgroup", "utf8"),
    );
    const groups = hierarchies.flatMap((hierarchy) => hubGroup(() => placeForGroups(hierarchy), limits) ?? []);
    return groups.length === 0 ? undefined : new Cgroups(groups, limits);
  }

  get controllers(): readonly Controller[] {
    return this.#groups.flatMap((group) => group.controllers);
  }

  /** A group that nothing is in. */
  take(): RunCgroup {
    this.#made += this.#idle.length === 0 ? 1 : 0;
    return this.#idle.pop() ?? makeRunGroup(this.#groups, `run-${this.#made}`, this.#limits);
  }

  /** After the run, when nothing asks for its counts any more: ends what is left of it. */
  async giveBack(group: RunCgroup): Promise<void> {
    if (this.#idle.length < MOST_IDLE && group.isAsNew()) this.#idle.push(group);
    else await group.remove();
  }

  /** When no run is left. */
  close(): void {
    for (const { dir } of this.#groups) removeTree(dir);
  }
}

/** The group of one run. */
export class RunCgroup {
  readonly #groups: readonly GroupPlace[];

  constructor(groups: readonly GroupPlace[]) {
    this.#groups = groups;
  }

  /** What starts a program in the group: it is in before it is the program, so that no child of it is outside. */
  get prefix(): readonly string[] {
    const files = this.#groups.map(enterFile);
    const enter = files.map((_, index) => `echo 0 >"$${index + 1}" && `).join("");
    // Without core dumps, since a shell is there already; where there are no groups, `limitArguments` sees to them.
    return [SHELL, "-c", `ulimit -c 0 && ${enter}shift ${files.length} && exec "$@"`, SHELL, ...files];
  }

  /** What a thread writes 0 to, to be in the group by itself; undefined: only whole processes can be. */
  get threadFiles(): readonly string[] | undefined {
    return this.#groups.every(({ version }) => version === 1) ? this.#groups.map(enterFile) : undefined;
  }

  wasOomKilled(): boolean {
    return this.#groups.some((group) => timesOutOfMemory(group) > 0);
  }

  wasOutOfProcesses(): boolean {
    return this.#groups.some((group) => timesOutOfProcesses(group) > 0);
  }

  /** Nothing is in it, and nothing was counted that the next run would be told. */
  isAsNew(): boolean {
    const isEmpty = this.#groups.every(({ dir }) => wordsIn(join(dir, "cgroup.procs")).length === 0);
    return isEmpty && !this.wasOomKilled() && !this.wasOutOfProcesses();
  }

  kill(): void {
    for (const group of this.#groups) killGroup(group);
  }

  /** Ends what is left of the run. A group is busy until the last of its processes has gone. */
  async remove(): Promise<void> {
    for (let waitMs = 1; waitMs <= LONGEST_WAIT_MS; waitMs *= 2) {
      if (this.#groups.every(({ dir }) => removeTree(dir))) return;
      this.kill();
      await sleep(waitMs);
    }
  }
}

/** Two seconds in all. What is still there then is swept up when the hub closes or starts. */
const LONGEST_WAIT_MS = 1024;

function makeRunGroup(within: readonly GroupPlace[], id: string, limits: RunLimits): RunCgroup {
  if (!/^[\w-]{1,100}$/.test(id)) throw new RangeError(`${JSON.stringify(id)} can't name a control group`);
  const made: GroupPlace[] = [];
  try {
    for (const group of within) {
      const dir = join(group.dir, id);
      mkdirSync(dir);
      made.push({ ...group, dir });
      setLimits({ ...group, dir }, limits);
    }
    return new RunCgroup(made);
  } catch (cause) {
    for (const { dir } of made) removeTree(dir);
    throw cause;
  }
}

/** The group of all runs of this hub. Together they leave the machine a part of its memory and half of its processes. */
function hubGroup(find: () => GroupPlace | undefined, limits: RunLimits): GroupPlace | undefined {
  let dir: string | undefined;
  try {
    const place = find();
    if (place === undefined) return undefined;
    sweep(place.dir);
    dir = mkdtempSync(join(place.dir, `${NAME}-${process.pid}-${pidNamespace()}-`));
    const group = { ...place, dir };
    if (place.version === 2) giveControllers(dir, place.controllers);
    setLimits(group, sharedLimits(limits));
    if (holds(group, limits)) return group;
  } catch {
    // Whatever the reason (read-only, not delegated, busy): there are no groups for us, and the limits say so.
  }
  if (dir !== undefined) removeTree(dir);
  return undefined;
}

function sharedLimits({ memoryBytes = 0 }: RunLimits): RunLimits {
  const most = Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
  return {
    memoryBytes: Math.max(memoryBytes, runLimits({}).memoryBytes),
    processes: Math.floor(most / 2),
  };
}

function holds(group: GroupPlace, limits: RunLimits): boolean {
  const run = makeRunGroup([group], "probe", limits);
  const [shell = SHELL, ...words] = [...run.prefix, "/bin/cat", "/proc/self/cgroup"];
  const { stdout } = spawnSync(shell, words, { encoding: "utf8", env: {} });
  return removeTree(join(group.dir, "probe")) && stdout.includes("/probe\n");
}

/**
 * Takes away what hubs that were killed left behind. A jail dies with its hub, but for one whose bwrap had just made its child and not
 * yet let it go: that waits for ever. What is still ending when its group is to go stays until the next start.
 */
function sweep(dir: string): void {
  for (const name of readdirSync(dir)) {
    const [, pid, namespace] = new RegExp(`^${NAME}-(\\d+)-(\\d+)-`).exec(name) ?? [];
    // In another namespace the same number is another process: its hub may well be alive.
    if (pid === undefined || namespace !== pidNamespace() || isAlive(Number(pid))) continue;
    killTree(join(dir, name));
    removeTree(join(dir, name));
  }
}

function pidNamespace(): string {
  return `${statSync("/proc/self/ns/pid").ino}`;
}

function killTree(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true }))
    if (entry.isDirectory()) killTree(join(dir, entry.name));
  killGroup({ dir });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Groups in it first; the files in a group go with it. False where a process is left. */
function removeTree(dir: string): boolean {
  try {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      if (entry.isDirectory()) removeTree(join(dir, entry.name));
    }
    rmdirSync(dir);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "ENOENT";
  }
}

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
function enterFile({ version, dir }: GroupPlace): string {
  return join(dir, FILES[version].enter);
}

function setLimits(group: GroupPlace, { memoryBytes, processes }: RunLimits): void {
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
function timesOutOfMemory({ version, controllers, dir }: GroupPlace): number {
  const [file, name] = FILES[version].outOfMemory;
  return controllers.includes("memory") ? countIn(join(dir, file), name) : 0;
}

/** How often the kernel refused to start one more process. */
function timesOutOfProcesses({ controllers, dir }: GroupPlace): number {
  const [file, name] = OUT_OF_PROCESSES;
  return controllers.includes("pids") ? countIn(join(dir, file), name) : 0;
}

/** Ends everything in the group at once. */
function killGroup({ dir }: Pick<GroupPlace, "dir">): void {
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
