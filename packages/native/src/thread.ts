import { checked, lastError, native, SystemError } from "./libc.ts";

/*
 * What the kernel lets one thread change of itself. The C library's own calls for users and groups would change every thread of the
 * process; the kernel's change the one that calls (man 7 nptl).
 */

interface Numbers {
  readonly setgroups: number;
  readonly setresgid: number;
  readonly setresuid: number;
  readonly sched_setattr: number;
}

const NUMBERS: Readonly<Record<string, Numbers>> = {
  x64: { setgroups: 116, setresgid: 119, setresuid: 117, sched_setattr: 314 },
  arm64: { setgroups: 159, setresgid: 149, setresuid: 147, sched_setattr: 274 },
};

const CLONE_FS = 0x200;
const PR_GET_DUMPABLE = 3;
const PR_SET_DUMPABLE = 4;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const RLIMIT_CORE = 4;
/** _LINUX_CAPABILITY_VERSION_3, and 0 for the calling thread. */
const CAPABILITIES_OF = Uint32Array.of(0x20080522, 0);
const CAPABILITY_WORDS = 6;
const SHORTEST_TURN_NS = 100_000n;
/** No id: changes nothing and returns the present one. */
const NOBODY = 0xffffffff;

const unshare = native("int unshare(int flags)");
const setns = native("int setns(int fd, int kind)");
const prctl = native("int prctl(int option, ulong a, ulong b, ulong c, ulong d)");
const setIds = native("long syscall(long number, long a, long b, long c)");
const setgroups = native("long syscall(long number, size_t count, const void *groups)");
const schedSetattr = native("long syscall(long number, int thread, const void *attributes, uint flags)");
// These two return an id; the C library declares int.
const setfsuid = native("uint setfsuid(uint uid)");
const setfsgid = native("uint setfsgid(uint gid)");
const capget = native("int capget(const void *header, _Out_ uint32_t *data)");
const capset = native("int capset(const void *header, const void *data)");
const setrlimit = native("int setrlimit(int which, const void *limit)");

/** Whether the numbers of the calls that change one thread's user and groups are known for this processor. */
export function canChangeThreads(): boolean {
  return process.platform === "linux" && process.arch in NUMBERS;
}

function numbers(): Numbers {
  const known = NUMBERS[process.arch];
  if (known === undefined) throw new Error(`No table of system calls for ${process.arch}`);
  return known;
}

/** Gives the thread a working directory of its own, without which it can't change its mount namespace. man 2 unshare, Linux 2.6.16. */
export function unshareDirectory(): void {
  checked("unshare", unshare(CLONE_FS));
}

/** Moves the thread to the namespace that is open. man 2 setns; Linux 3.0 for networks, 3.8 for mounts. */
export function enterNamespace(fd: number): void {
  checked("setns", setns(fd, 0));
}

/** Drops the capabilities that would outlive a change of user and the start of a program. man 2 prctl, Linux 4.3. */
export function clearAmbientCapabilities(): void {
  checked("prctl", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
}

/** Sets the thread's supplementary groups. man 2 setgroups, any kernel. */
export function setThreadGroups(groups: readonly number[]): void {
  const list = Uint32Array.from(groups);
  checked("setgroups", setgroups(numbers().setgroups, list.length, list.length === 0 ? null : list));
}

/** Sets the thread's real, effective and saved user. man 2 setresuid, any kernel. */
export function setThreadUser(real: number, effective: number, saved: number): void {
  checked("setresuid", setIds(numbers().setresuid, real, effective, saved));
}

/** Sets the thread's real, effective and saved group. man 2 setresgid, any kernel. */
export function setThreadGroup(real: number, effective: number, saved: number): void {
  checked("setresgid", setIds(numbers().setresgid, real, effective, saved));
}

export interface FileUser {
  readonly uid: number;
  readonly gid: number;
}

/** Returns as whom the thread opens files. man 2 setfsuid, any kernel. */
export function fileUser(): FileUser {
  return { uid: setfsuid(NOBODY), gid: setfsgid(NOBODY) };
}

/** Changes as whom the thread opens files. The kernel doesn't say if that fails: ask `fileUser`. man 2 setfsuid, any kernel. */
export function setFileUser({ uid, gid }: FileUser): void {
  setfsgid(gid);
  setfsuid(uid);
}

/** Returns the thread's capabilities: effective, permitted and inheritable, in two halves. man 2 capget, Linux 2.6.26. */
export function threadCapabilities(): number[] {
  const words = new Array<number>(CAPABILITY_WORDS).fill(0);
  checked("capget", capget(CAPABILITIES_OF, words));
  return words;
}

/** Sets what `threadCapabilities` returns. man 2 capset, Linux 2.6.26. */
export function setThreadCapabilities(words: readonly number[]): void {
  checked("capset", capset(CAPABILITIES_OF, Uint32Array.from(words)));
}

/** Returns 1 if others of its user may read the process's memory; 0 or 2 if not. man 2 PR_GET_DUMPABLE, any kernel. */
export function dumpability(): number {
  return checked("prctl", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
}

/** The kernel takes nothing but 0 and 1. man 2 PR_SET_DUMPABLE, any kernel. */
export function setDumpability(value: 0 | 1): void {
  checked("prctl", prctl(PR_SET_DUMPABLE, value, 0, 0, 0));
}

/** Forbids core dumps of this process and of all that it starts. man 2 setrlimit, any kernel. */
export function forbidCoreDumps(): void {
  if (setrlimit(RLIMIT_CORE, BigUint64Array.of(0n, 0n)) === 0) return;
  throw new SystemError("setrlimit", lastError(), "Core dumps can't be forbidden");
}

/**
 * Has the scheduler give the thread short turns, and this niceness. False if the kernel refuses, which changes nothing.
 * man 2 sched_setattr, Linux 3.14; it heeds the length of a turn since 6.12.
 */
export function takeShortTurns(nice: number): boolean {
  const number = NUMBERS[process.arch]?.sched_setattr;
  if (number === undefined) return false;
  // struct sched_attr { u32 size, policy; u64 flags; s32 nice; u32 priority; u64 runtime, deadline, period; }
  const attributes = Buffer.alloc(48);
  attributes.writeUInt32LE(attributes.length, 0);
  attributes.writeInt32LE(nice, 16);
  attributes.writeBigUInt64LE(SHORTEST_TURN_NS, 24);
  return schedSetattr(number, 0, attributes, 0) === 0;
}
