import { readFileSync } from "node:fs";
import { pathFromBytes } from "./path-bytes.ts";

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
export function mountsWithin(root: string, list = readMounts()): InnerMount[] {
  const inside = root === "/" ? "/" : `${root}/`;
  return list.filter(({ path }) => path.startsWith(inside) && path !== root);
}

/** Lines of `man 5 proc_pid_mountinfo`: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`. */
export function parseMounts(text: Buffer): InnerMount[] {
  const mounts: InnerMount[] = [];
  for (const line of text.toString("latin1").split("\n")) {
    const [before, after] = line.split(" - ", 2);
    const point = before?.split(" ")[4];
    const type = after?.split(" ")[0];
    if (point === undefined || type === undefined) continue;
    mounts.push({ path: pathFromBytes(Buffer.from(unescapeOctal(point), "latin1")), kind: kindOfType(type) });
  }
  return mounts;
}

function readMounts(): InnerMount[] {
  try {
    return parseMounts(readFileSync("/proc/self/mountinfo"));
  } catch {
    // No Linux, no mounts that we could name.
    return [];
  }
}

function kindOfType(type: string): InnerMount["kind"] {
  if (KERNEL.includes(type)) return "kernel";
  return NETWORK.test(type) ? "network" : "ordinary";
}

/** Space, tab, newline and backslash are written as `\040`. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-3][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
