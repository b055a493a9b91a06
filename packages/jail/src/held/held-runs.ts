import { accessSync, closeSync, constants, openSync } from "node:fs";
import { dirname } from "node:path";
import { stampOf } from "@countersign/core/host";
import {
  addDirectoryWatch,
  addWatch,
  closeInotify,
  IN,
  nodePath,
  openInotify,
  POLLIN,
  POLLPRI,
  type Polled,
  readEvents,
  removeWatch,
  SystemError,
} from "@countersign/native";
import { killTree, startOf } from "../base/index.ts";
import type { HeldName, HoldFacts, WatchAnswer, WatchOrder } from "./hold-order.ts";
import { lostPoint, type MountTable, readTable } from "./mount-table.ts";
import { walkNames } from "./walk-names.ts";

/** Any of these, while a hold is taken, may be somebody who moves things around under it. */
const TAKING = IN.MOVE_SELF | IN.ATTRIB | IN.DELETE_SELF | IN.MODIFY;
/** The same of a directory. The others would tell of each file in it as well: whoever writes to one could fill the queue. */
const TAKING_DIRECTORY = IN.MOVE_SELF | IN.DELETE_SELF;

const MASKS: Readonly<Record<HeldName["as"], number>> = {
  place: IN.MOVE_SELF,
  link: IN.MOVE_SELF | IN.ATTRIB | IN.DELETE_SELF,
  code: IN.MOVE_SELF | IN.ATTRIB | IN.DELETE_SELF | IN.MODIFY,
};

/** Always told: the watch is gone, and with it what it saw. */
const WATCH_ENDED = IN.UNMOUNT | IN.IGNORED;

/** A file whose rights are changed just then looks like an attack once, and not three times. */
const TRIES = 3;

interface HeldRun {
  readonly pid: number;
  readonly start: string | undefined;
  /** The jail's list of mounts. While it is open the list can be read, also when nobody is in the jail any more. */
  readonly table: number;
  readonly watches: Map<number, HeldName>;
  mounts: MountTable;
  lost: string | undefined;
}

/**
 * Runs whose mounts are watched. A mount falls off when its name is removed or replaced outside of the jail, which the jail's list of mounts
 * tells. It moves along when the name, or a directory around it, is renamed, which only the inode tells: the list doesn't, and looks as
 * before once it is renamed back.
 */
export class HeldRuns {
  readonly #inotify = openInotify();
  readonly #runs = new Map<number, HeldRun>();
  readonly #watchers = new Map<number, Set<HeldRun>>();

  /** What to wait for. */
  get polled(): Polled[] {
    const tables = [...this.#runs.values()].map(({ table }) => ({ fd: table, events: POLLPRI }));
    return [{ fd: this.#inotify, events: POLLIN }, ...tables];
  }

  answer(order: WatchOrder): WatchAnswer {
    return order.do === "hold" ? this.#hold(order) : this.#release(order.id);
  }

  /** The kernel's queue isn't closed with the thread that made it. */
  close(): void {
    closeInotify(this.#inotify);
  }

  /** Kills what has lost something. Names first: they need no list to be read. */
  look(ready: ReadonlySet<number>): void {
    if (ready.has(this.#inotify)) this.#readEvents();
    for (const run of this.#runs.values()) if (ready.has(run.table)) compare(run);
  }

  #hold({ id, pid, facts }: Extract<WatchOrder, { do: "hold" }>): WatchAnswer {
    const table = openTable(pid);
    if (table === undefined) return { changed: true };
    const run: HeldRun = {
      ...{ pid, table, start: startOf(pid), watches: new Map<number, HeldName>() },
      ...{ mounts: new Map<string, string>(), lost: undefined },
    };
    try {
      for (let tries = 1; tries <= TRIES; tries += 1) {
        if (!this.#take(run, facts)) continue;
        this.#runs.set(id, run);
        return {};
      }
      this.#letGo(run);
      return { changed: true };
    } catch (cause) {
      this.#letGo(run);
      throw cause;
    }
  }

  /** False if something was moved meanwhile, or isn't where it should be. */
  #take(run: HeldRun, facts: HoldFacts): boolean {
    this.#readEvents();
    for (const name of facts.names) if (!this.#watch(run, name, facts.points)) return false;
    const stands = facts.code.every(({ name, path, stamp, way }) => {
      const walk = walkNames(name);
      const sameWay = walk?.names.length === way.length && walk.names.every((one, at) => one.path === way[at]);
      return sameWay && walk.end === path && (stamp === undefined || stampOf(path) === stamp);
    });
    const all = readTable(run.table);
    const further = facts.further.filter((point) => all.has(point));
    if (!stands || !facts.points.every((point) => all.has(point))) return false;
    run.mounts = new Map([...facts.points, ...further].map((point) => [point, all.get(point) as string]));
    // No name was moved, replaced or linked since it was watched: what is mounted in the jail is mounted on what is watched.
    if (this.#readEvents().has(run)) return false;
    for (const [watch, name] of run.watches) this.#setMask(watch, name.path);
    return true;
  }

  /** False if nothing stands there. */
  #watch(run: HeldRun, name: HeldName, points: readonly string[]): boolean {
    try {
      const watch = this.#addTaking(name.path);
      run.watches.set(watch, name);
      const watchers = this.#watchers.get(watch) ?? new Set();
      this.#watchers.set(watch, watchers.add(run));
      return true;
    } catch (cause) {
      if (!(cause instanceof SystemError)) throw cause;
      if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return false;
      // What we may not read, the run may not read either, and what neither may rename needs no watch.
      if (cause.code === "EACCES" && (points.includes(name.path) || !isWritable(dirname(name.path)))) return true;
      throw cause;
    }
  }

  #addTaking(path: string): number {
    try {
      return addDirectoryWatch(this.#inotify, path, TAKING_DIRECTORY);
    } catch (cause) {
      if (!(cause instanceof SystemError && cause.code === "ENOTDIR")) throw cause;
      return addWatch(this.#inotify, path, TAKING);
    }
  }

  /** From now on only what ends a run is told: whoever changes rights or times again and again wakes nobody. */
  #setMask(watch: number, path: string): void {
    const names = [...(this.#watchers.get(watch) ?? [])].flatMap((run) => run.watches.get(watch) ?? []);
    const mask = names.reduce((all, { as }) => all | MASKS[as], 0);
    try {
      const now = addWatch(this.#inotify, path, mask);
      if (now === watch) return;
      // The name is another's since a moment ago, which is told already. Nobody watches that one, or somebody who wants to be told more.
      if (this.#watchers.has(now)) this.#addTaking(path);
      else removeWatch(this.#inotify, now);
    } catch (cause) {
      // Gone since, which is told already.
      if (!(cause instanceof SystemError && ["ENOENT", "ENOTDIR", "EACCES"].includes(cause.code))) throw cause;
    }
  }

  /** The runs to which something happened, also what doesn't end them. */
  #readEvents(): Set<HeldRun> {
    const touched = new Set<HeldRun>();
    const lost = new Map<HeldRun, string>();
    for (const { watch, mask } of readEvents(this.#inotify)) {
      // More happened than is kept: it may have happened to any.
      const overflow = (mask & IN.Q_OVERFLOW) !== 0;
      const runs = overflow ? [...this.#watchers.values()].flatMap((all) => [...all]) : this.#watchers.get(watch);
      for (const run of runs ?? []) {
        touched.add(run);
        const name = run.watches.get(watch);
        if (name === undefined) lost.set(run, "");
        else if ((mask & (MASKS[name.as] | WATCH_ENDED)) !== 0 && !lost.has(run)) lost.set(run, name.path);
      }
      if ((mask & IN.IGNORED) !== 0) this.#watchers.delete(watch);
    }
    for (const [run, path] of lost) {
      lose(run, path);
      // Nothing more is to be learned, and who did it may go on.
      this.#unwatch(run);
    }
    return touched;
  }

  /** Compares once more. An unknown run is one that a thread before this held. */
  #release(id: number): WatchAnswer {
    const run = this.#runs.get(id);
    if (run === undefined) return { lost: "" };
    this.#runs.delete(id);
    this.#readEvents();
    compare(run);
    this.#letGo(run);
    return run.lost === undefined ? {} : { lost: run.lost };
  }

  #letGo(run: HeldRun): void {
    closeSync(run.table);
    this.#unwatch(run);
  }

  #unwatch(run: HeldRun): void {
    for (const watch of run.watches.keys()) {
      const watchers = this.#watchers.get(watch);
      watchers?.delete(run);
      if (watchers?.size !== 0) continue;
      this.#watchers.delete(watch);
      removeWatch(this.#inotify, watch);
    }
    run.watches.clear();
  }
}

function compare(run: HeldRun): void {
  const lost = lostPoint(run.table, run.mounts);
  if (lost !== undefined) lose(run, lost);
}

function lose(run: HeldRun, path: string): void {
  run.lost ??= path;
  killTree(run.pid, run.start);
}

function openTable(pid: number): number | undefined {
  try {
    return openSync(`/proc/${pid}/mountinfo`, "r");
  } catch (cause) {
    // It has ended. EINVAL: it is ending.
    if (["ENOENT", "ESRCH", "EINVAL"].includes((cause as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw cause;
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(nodePath(directory), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
