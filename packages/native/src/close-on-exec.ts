import { readdirSync } from "node:fs";
import koffi from "koffi";

const CLOSE_RANGE = 436; // The same on every architecture.
const CLOSE_RANGE_CLOEXEC = 4;
const FIRST_AFTER_STDIO = 3;
const LAST = 0xffff_ffff;
const F_SETFD = 2;
const FD_CLOEXEC = 1;

const libc = koffi.load(null);
const closeRange = libc.func("long syscall(long number, uint first, uint last, uint flags)");
const fcntl = libc.func("int fcntl(int fd, int command, int flags)");

/**
 * Keeps every descriptor but the standard three from the next child, unless it is handed over. Node opens its own like
 * that, and marks the first few that it was started with; a supervisor, or a program that the hub is a part of, may have
 * left others open, and bwrap closes none of them. Elsewhere than on Linux the system starts children without them.
 */
export function closeOnExec(): void {
  if (process.platform !== "linux") return;
  if (closeRange(CLOSE_RANGE, FIRST_AFTER_STDIO, LAST, CLOSE_RANGE_CLOEXEC) === 0) return;
  // Before Linux 5.11.
  for (const fd of readdirSync("/proc/self/fd").map(Number))
    if (fd >= FIRST_AFTER_STDIO) fcntl(fd, F_SETFD, FD_CLOEXEC);
}
