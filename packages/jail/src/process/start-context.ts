import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  canChangeThreads,
  clearAmbientCapabilities,
  enterNamespace,
  setThreadGroup,
  setThreadGroups,
  setThreadUser,
  unshareDirectory,
} from "@countersign/native";
import { findHierarchies } from "./hierarchies.ts";

/** Where and as whom a program is started. */
export interface StartContext {
  /** Paths to open namespace files. */
  readonly namespaces: { readonly mount?: string; readonly net?: string };
  readonly user: { readonly uid: number; readonly gid: number };
  /** Files of control groups, of version 1, to which a thread writes 0 to be in them. */
  readonly groups: readonly string[];
}

/** Whether a thread can take another context here. */
export function canChangeContext(): boolean {
  return canChangeThreads() && process.getuid?.() === 0 && process.geteuid?.() === 0;
}

/**
 * The thread that calls, which must be root's and do nothing else: between runs it stands where the hub does. What it starts inherits
 * where it stands then, with no capability and no way back, since it is another program.
 */
export class ContextChanger {
  readonly #gid = process.getegid?.() ?? 0;
  readonly #home: readonly number[];
  readonly #groups: readonly string[];

  constructor() {
    // A thread that shares its working directory with others can't change its mounts.
    unshareDirectory();
    // These would outlive the change of user, and the start of a program.
    clearAmbientCapabilities();
    setThreadGroups([]);
    this.#home = ["net", "mnt"].map((name) => openSync(`/proc/thread-self/ns/${name}`, "r"));
    this.#groups = findHierarchies(
      readFileSync("/proc/self/mountinfo", "utf8"),
      readFileSync("/proc/self/cgroup", "utf8"),
    )
      .filter(({ version }) => version === 1)
      .map(({ own }) => join(own, "tasks"));
  }

  /** Throws ContextLost where it couldn't go back: the thread is good for nothing then. */
  inContext<T>({ namespaces, user, groups }: StartContext, work: () => T): T {
    if (user.uid === 0 || user.gid === 0) throw new Error("A stance is nobody's who is root");
    const { net, mount } = namespaces;
    const opened = [net, mount].flatMap((path) => (path === undefined ? [] : [openSync(path, "r")]));
    try {
      for (const file of groups) writeFileSync(file, "0");
      for (const fd of opened) enterNamespace(fd);
      setThreadGroup(user.gid, user.gid, user.gid);
      setThreadUser(user.uid, user.uid, 0);
      return work();
    } finally {
      for (const fd of opened) closeSync(fd);
      this.#goBack(groups.length > 0);
    }
  }

  #goBack(leavesGroups: boolean): void {
    try {
      setThreadUser(0, 0, 0);
      setThreadGroup(this.#gid, this.#gid, this.#gid);
      for (const fd of this.#home) enterNamespace(fd);
      if (leavesGroups) for (const file of this.#groups) writeFileSync(file, "0");
    } catch (cause) {
      throw new ContextLost("The thread couldn't go back to where the hub stands", { cause });
    }
  }
}

export class ContextLost extends Error {}
