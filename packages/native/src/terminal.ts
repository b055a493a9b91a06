import { lastError, native, SystemError } from "./libc.ts";

const TIOCGPTN = 0x80045430n;
const TIOCSPTLCK = 0x40045431n;
const TIOCSWINSZ = 0x5414n;
const TIOCGPGRP = 0x540fn;

const ioctl = native("int ioctl(int fd, ulong request, void *argument)");

/** Unlocks the other end of an open `/dev/ptmx`, and returns its number in `/dev/pts`. man 2 ioctl_tty, man 4 pts; any kernel. */
export function unlockTerminal(master: number): number {
  const number = new Int32Array(1);
  control(master, TIOCSPTLCK, Int32Array.of(0));
  control(master, TIOCGPTN, number);
  return number[0] as number;
}

/** Sets a terminal's size; its foreground processes get SIGWINCH. man 2 ioctl_tty (TIOCSWINSZ), any kernel. */
export function resizeTerminal(master: number, { columns, rows }: { columns: number; rows: number }): void {
  control(master, TIOCSWINSZ, Uint16Array.of(rows, columns, 0, 0));
}

/** Returns the process group to which Ctrl-C would go; undefined if there is none here. man 2 ioctl_tty (TIOCGPGRP), any kernel. */
export function foregroundGroup(master: number): number | undefined {
  const group = new Int32Array(1);
  if (ioctl(master, TIOCGPGRP, group) !== 0) return undefined;
  return (group[0] as number) > 1 ? group[0] : undefined;
}

function control(master: number, request: bigint, argument: NodeJS.TypedArray): void {
  if (ioctl(master, request, argument) === 0) return;
  const code = lastError();
  throw new SystemError("ioctl", code, `pseudo terminal: ${code}`);
}
