import { readFileSync } from "node:fs";
import { isAbsence } from "./kind-at.ts";
import { type MountLine, parseMountInfo } from "./mount-info.ts";

export interface InnerMount {
  readonly path: string;
  /** Kernel: a window into this machine's processes and devices. Network: someone else answers, perhaps never. */
  readonly kind: "kernel" | "network" | "ordinary";
}

const KERNEL =
  "proc sysfs cgroup cgroup2 devpts devtmpfs debugfs tracefs bpf securityfs configfs mqueue pstore efivarfs binfmt_misc fusectl nsfs".split(
    " ",
  );
const NETWORK = /^(nfs\d?|cifs|smb3|smbfs|9p|afs|ceph|glusterfs|lustre|autofs|fuse|fuse\..*)$/;

/** The mounts inside a directory (not the one it lies on), from the kernel's own list: asking them could hang. */
export function mountsWithin(root: string, mounts: readonly MountLine[] = ownMounts()): InnerMount[] {
  const inside = root === "/" ? "/" : `${root}/`;
  return mounts
    .filter(({ point }) => point.startsWith(inside) && point !== root)
    .map(({ point, type }) => ({ path: point, kind: kindOfType(type) }));
}

function ownMounts(): MountLine[] {
  try {
    return parseMountInfo(readFileSync("/proc/self/mountinfo"));
  } catch (cause) {
    // No Linux, no mounts that we could name.
    if (isAbsence(cause)) return [];
    throw cause;
  }
}

function kindOfType(type: string): InnerMount["kind"] {
  if (KERNEL.includes(type)) return "kernel";
  return NETWORK.test(type) ? "network" : "ordinary";
}
