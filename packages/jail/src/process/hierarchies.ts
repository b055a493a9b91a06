import { join, relative } from "node:path";

export type Controller = "memory" | "pids";

/** A mounted tree of control groups, and where in it this process is. */
export interface Hierarchy {
  /** 1: one tree for each controller. 2: one for all, in which a group has processes or groups with controllers. */
  readonly version: 1 | 2;
  /** Those bound to it, of version 1. In version 2 each group has its own list. */
  readonly controllers: readonly Controller[];
  readonly mount: string;
  readonly own: string;
}

const CONTROLLERS: readonly Controller[] = ["memory", "pids"];

/** From /proc/self/mountinfo and /proc/self/cgroup; see proc_pid_mountinfo(5), cgroups(7). */
export function findHierarchies(mountinfo: string, cgroup: string): Hierarchy[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [place = "", system = ""] = line.split(" - ");
    const [, , , root = "", mount = ""] = place.split(" ").map(unescaped);
    const [type, , options = ""] = system.split(" ");
    if (type !== "cgroup" && type !== "cgroup2") return [];
    const version = type === "cgroup2" ? 2 : 1;
    const controllers = version === 2 ? [] : CONTROLLERS.filter((name) => options.split(",").includes(name));
    if (version === 1 && controllers.length === 0) return [];
    const path = ownPath(cgroup, controllers[0] ?? "");
    const below = path === undefined ? ".." : relative(root, path);
    // What is mounted may be another part of the tree than the one that we are in.
    return below.startsWith("..") ? [] : [{ version, controllers, mount, own: join(mount, below) }];
  });
}

/** `4:memory:/path` of version 1, `0::/path` of version 2. */
function ownPath(cgroup: string, controller: string): string | undefined {
  for (const line of cgroup.split("\n")) {
    const [, names, ...path] = line.split(":");
    if (names?.split(",").includes(controller)) return path.join(":");
  }
  return undefined;
}

/** Spaces and the like are written as `\040`. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
