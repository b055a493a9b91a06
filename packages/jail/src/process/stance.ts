import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getSystemErrorName } from "node:util";
import koffi from "koffi";
import { findHierarchies } from "./hierarchies.ts";

/** Where and as whom a program is started. */
export interface Stance {
  /** Paths to open namespace files. */
  readonly namespaces: { readonly mount?: string; readonly net?: string };
  readonly user: { readonly uid: number; readonly gid: number };
  /** Files of control groups, of version 1, to which a thread writes 0 to be in them. */
  readonly groups: readonly string[];
}

const CLONE_FS = 0x200;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;

/** The C library's own calls would change every thread of the hub: the kernel's change the one that calls. */
const CALLS: Readonly<Record<string, { setgroups: number; setresgid: number; setresuid: number }>> = {
  x64: { setgroups: 116, setresgid: 119, setresuid: 117 },
  arm64: { setgroups: 159, setresgid: 149, setresuid: 147 },
};

const libc = koffi.load(null);
const unshare = libc.func("int unshare(int flags)");
const setns = libc.func("int setns(int fd, int kind)");
const prctl = libc.func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)");
const syscall = libc.func("long syscall(long number, long a, long b, long c)");

/** Whether a thread can take another stance here. */
export function canTakeStances(): boolean {
  return process.platform === "linux" && process.arch in CALLS && process.getuid?.() === 0 && process.geteuid?.() === 0;
}

/**
 * The thread that calls, which must be root's and do nothing else: between runs it stands where the hub does. What it starts inherits
 * where it stands then, with no capability and no way back, since it is another program.
 */
export class StanceTaker {
  readonly #calls = CALLS[process.arch] as (typeof CALLS)[string];
  readonly #gid = process.getegid?.() ?? 0;
  readonly #home: readonly number[];
  readonly #groups: readonly string[];

  constructor() {
    // A thread that shares its working directory with others can't change its mounts.
    checked("unshare", unshare(CLONE_FS));
    // These would outlive the change of user, and the start of a program.
    checked("prctl", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
    checked("setgroups", syscall(this.#calls.setgroups, 0, 0, 0));
    this.#home = ["net", "mnt"].map((name) => openSync(`/proc/thread-self/ns/${name}`, "r"));
    this.#groups = findHierarchies(
      readFileSync("/proc/self/mountinfo", "utf8"),
      readFileSync("/proc/self/cgroup", "utf8"),
    )
      .filter(({ version }) => version === 1)
      .map(({ own }) => join(own, "tasks"));
  }

  /** Throws StanceLost where it couldn't go back: the thread is good for nothing then. */
  inStance<T>({ namespaces, user, groups }: Stance, work: () => T): T {
    if (user.uid === 0 || user.gid === 0) throw new Error("A stance is nobody's who is root");
    const { net, mount } = namespaces;
    const opened = [net, mount].flatMap((path) => (path === undefined ? [] : [openSync(path, "r")]));
    try {
      for (const file of groups) writeFileSync(file, "0");
      for (const fd of opened) checked("setns", setns(fd, 0));
      checked("setresgid", syscall(this.#calls.setresgid, user.gid, user.gid, user.gid));
      checked("setresuid", syscall(this.#calls.setresuid, user.uid, user.uid, 0));
      return work();
    } finally {
      for (const fd of opened) closeSync(fd);
      this.#goBack(groups.length > 0);
    }
  }

  #goBack(leavesGroups: boolean): void {
    try {
      checked("setresuid", syscall(this.#calls.setresuid, 0, 0, 0));
      checked("setresgid", syscall(this.#calls.setresgid, this.#gid, this.#gid, this.#gid));
      for (const fd of this.#home) checked("setns", setns(fd, 0));
      if (leavesGroups) for (const file of this.#groups) writeFileSync(file, "0");
    } catch (cause) {
      throw new StanceLost("The thread couldn't go back to where the hub stands", { cause });
    }
  }
}

export class StanceLost extends Error {}

function checked(call: string, result: number): void {
  if (result >= 0) return;
  const code = getSystemErrorName(-koffi.errno());
  throw Object.assign(new Error(`${call} ${code}`), { code });
}
