import { getSystemErrorName } from "node:util";
import koffi from "koffi";
import { bytesOfPath } from "./path-bytes.ts";
import { checked } from "./syscalls.ts";

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

export const POLLIN = 1;
export const POLLPRI = 2;

const libc = koffi.load(null);
const inotifyInit = libc.func("int inotify_init1(int flags)");
const inotifyAdd = libc.func("int inotify_add_watch(int fd, const void *path, uint mask)");
const inotifyRemove = libc.func("int inotify_rm_watch(int fd, int watch)");
const close = libc.func("int close(int fd)");
const poll = libc.func("int poll(void *fds, ulong count, int timeout)");
const read = libc.func("long read(int fd, void *buffer, size_t size)");
const ioctl = libc.func("int ioctl(int fd, ulong request, void *value)");

const syscall = libc.func("long syscall(long number, int thread, const void *attributes, uint flags)");

export function openInotify(): number {
  return checked("inotify_init1", inotifyInit(IN_CLOEXEC | IN_NONBLOCK));
}

/** Not by \`node:fs\`, which warns of a descriptor that a thread closes and didn't open through it. */
export function closeInotify(inotify: number): void {
  checked("close", close(inotify));
}

/** The watch of what stands at the path, a link itself included. The mask replaces the one that this watch had. */
export function addWatch(inotify: number, path: string, mask: number): number {
  const bytes = Buffer.concat([bytesOfPath(path), Buffer.of(0)]);
  return checked("inotify_add_watch", inotifyAdd(inotify, bytes, (mask | IN_DONT_FOLLOW) >>> 0));
}

/** The same of a directory alone: else ENOTDIR. */
export function addDirectoryWatch(inotify: number, path: string, mask: number): number {
  return addWatch(inotify, path, mask | IN_ONLYDIR);
}

/** One that the kernel has removed already is left alone. */
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

/** What has happened up to now. Not what comes while it is read: somebody who makes events faster than that would keep us here. */
export function readEvents(inotify: number): WatchEvent[] {
  const events: WatchEvent[] = [];
  for (let left = waitingBytes(inotify); left > 0; ) {
    const size = Number(read(inotify, buffer, buffer.length));
    left -= Math.max(size, 0);
    if (size <= 0) {
      const errno = getSystemErrorName(-koffi.errno());
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

export interface Polled {
  readonly fd: number;
  readonly events: number;
}

/** Waits for one of these descriptors. Returns those at which something is to be seen. */
export function waitFor(polled: readonly Polled[]): Set<number> {
  // struct pollfd { int fd; short events; short revents; }
  const fds = Buffer.alloc(polled.length * 8);
  for (const [at, { fd, events }] of polled.entries()) {
    fds.writeInt32LE(fd, at * 8);
    fds.writeInt16LE(events, at * 8 + 4);
  }
  if (poll(fds, polled.length, -1) < 0 && getSystemErrorName(-koffi.errno()) !== EINTR) checked("poll", -1);
  return new Set(polled.flatMap(({ fd }, at) => (fds.readInt16LE(at * 8 + 6) === 0 ? [] : [fd])));
}

const SCHED_SETATTR = process.arch === "arm64" ? 274 : 314;
const SHORTEST_TURN_NS = 100_000n;

/** Of the calling thread. False if the kernel refuses, which changes nothing. */
export function takeShortTurns(nice: number): boolean {
  // struct sched_attr { u32 size, policy; u64 flags; s32 nice; u32 priority; u64 runtime, deadline, period; }
  const attributes = Buffer.alloc(48);
  attributes.writeUInt32LE(attributes.length, 0);
  attributes.writeInt32LE(nice, 16);
  attributes.writeBigUInt64LE(SHORTEST_TURN_NS, 24);
  return Number(syscall(SCHED_SETATTR, 0, attributes, 0)) === 0;
}
