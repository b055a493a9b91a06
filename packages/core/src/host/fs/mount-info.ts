import { pathFromBytes } from "@countersign/native";

/** One mount, from the kernel's own list. */
export interface MountLine {
  /** Another mount may get it once this one is gone. */
  readonly id: string;
  /** `254:0`: of the file system. */
  readonly device: string;
  /** What of the file system is seen there. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

/** Lines of `man 5 proc_pid_mountinfo`: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`. */
export function parseMountInfo(text: Buffer): MountLine[] {
  const mounts: MountLine[] = [];
  for (const line of text.toString("latin1").split("\n")) {
    const [before, after] = line.split(" - ", 2);
    const [id, , device, root, point] = before?.split(" ") ?? [];
    const type = after?.split(" ")[0];
    if (id === undefined || device === undefined || root === undefined || point === undefined || type === undefined)
      continue;
    mounts.push({ id, device, root: unescapeOctal(root), point: unescapeOctal(point), type });
  }
  return mounts;
}

const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;

/** Space, tab, newline and backslash are written as `\040`. */
function unescapeOctal(text: string): string {
  if (PLAIN.test(text)) return text;
  const plain = text.replace(/\\([0-3][0-7]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
  return pathFromBytes(Buffer.from(plain, "latin1"));
}
