import { checked, close, lastError, native } from "./libc.ts";
import { bytesOfPath } from "./path-bytes.ts";

const IN_CLOEXEC = 0o2000000;
const IN_NONBLOCK = 0o4000;
const IN_ONLYDIR = 0x0100_0000;
const IN_DONT_FOLLOW = 0x0200_0000;
const FIONREAD = 0x541b;
const EAGAIN = "EAGAIN";
const EINTR = "EINTR";

/** Bits of `struct inotify_event.mask`: man 7 inotify. */
export const IN = {
  MODIFY: 0x2,
  ATTRIB: 0x4,
  DELETE_SELF: 0x400,
  MOVE_SELF: 0x800,
  UNMOUNT: 0x2000,
  Q_OVERFLOW: 0x4000,
  IGNORED: 0x8000,
} as const;

const inotifyInit = native("int inotify_init1(int flags)");
const inotifyAdd = native("int inotify_add_watch(int fd, const void *path, uint mask)");
const inotifyRemove = native("int inotify_rm_watch(int fd, int watch)");
const read = native("long read(int fd, void *buffer, size_t size)");
const ioctl = native("int ioctl(int fd, ulong request, void *value)");

/** Opens a queue of file events. man 2 inotify_init1, Linux 2.6.27. */
export function openInotify(): number {
  return checked("inotify_init1", inotifyInit(IN_CLOEXEC | IN_NONBLOCK));
}

/** Closes the queue. Not by `node:fs`, which warns if a thread closes a descriptor that it didn't open through it. man 2 close. */
export function closeInotify(inotify: number): void {
  checked("close", close(inotify));
}

/** Watches what is at the path, even a link itself. The mask replaces the one that this watch had. man 2 inotify_add_watch, Linux 2.6.15. */
export function addWatch(inotify: number, path: string, mask: number): number {
  const bytes = Buffer.concat([bytesOfPath(path), Buffer.of(0)]);
  return checked("inotify_add_watch", inotifyAdd(inotify, bytes, (mask | IN_DONT_FOLLOW) >>> 0));
}

/** Watches a directory; anything else is ENOTDIR. man 2 inotify_add_watch, Linux 2.6.15. */
export function addDirectoryWatch(inotify: number, path: string, mask: number): number {
  return addWatch(inotify, path, mask | IN_ONLYDIR);
}

/** Ends a watch, unless the kernel has removed it already. man 2 inotify_rm_watch, Linux 2.6.13. */
export function removeWatch(inotify: number, watch: number): void {
  inotifyRemove(inotify, watch);
}

export interface WatchEvent {
  readonly watch: number;
  readonly mask: number;
}

/** `struct inotify_event { int wd; uint32_t mask, cookie, len; char name[len]; }` */
const EVENT_BYTES = 16;
const buffer = Buffer.alloc(64 * 1024);

/**
 * Returns the events up to now, and not those that come while it reads: a process that makes events faster than that would keep the
 * caller here. man 7 inotify, Linux 2.6.13.
 */
export function readEvents(inotify: number): WatchEvent[] {
  const events: WatchEvent[] = [];
  for (let left = waitingBytes(inotify); left > 0; ) {
    const size = read(inotify, buffer, buffer.length);
    left -= Math.max(size, 0);
    if (size <= 0) {
      const errno = lastError();
      if (size === 0 || errno === EAGAIN) return events;
      if (errno !== EINTR) checked("read", size);
      continue;
    }
    for (let at = 0; at + EVENT_BYTES <= size; at += EVENT_BYTES + buffer.readUInt32LE(at + 12)) {
      events.push({ watch: buffer.readInt32LE(at), mask: buffer.readUInt32LE(at + 4) });
    }
  }
  return events;
}

function waitingBytes(inotify: number): number {
  const bytes = Buffer.alloc(4);
  checked("ioctl", ioctl(inotify, FIONREAD, bytes));
  return bytes.readInt32LE();
}
