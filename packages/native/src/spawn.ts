import { readdirSync } from "node:fs";
import { getSystemErrorName } from "node:util";
import { close, lastError, native, SystemError } from "./libc.ts";

const O_CLOEXEC = 0o2000000;
const F_DUPFD_CLOEXEC = 1030;
const SETSIGDEF = 0x04;
const SETSIGMASK = 0x08;
const SETSID = 0x80;
const WNOHANG = 1;
const CLOSE_RANGE = 436; // The same on every architecture.
const CLOSE_RANGE_CLOEXEC = 4;
const FIRST_AFTER_STDIO = 3;
const LAST = 0xffff_ffff;
const F_SETFD = 2;
const FD_CLOEXEC = 1;

/** More than any libc's `posix_spawn_file_actions_t`, `posix_spawnattr_t` and `sigset_t`. */
const OPAQUE_BYTES = 1_024;

const pipe2 = native("int pipe2(int *ends, int flags)");
const closeRange = native("long syscall(long number, uint first, uint last, uint flags)");
const fcntl = native("int fcntl(int fd, int command, int argument)");
const waitpid = native("int waitpid(int pid, int *status, int options)");
const sigfillset = native("int sigfillset(void *set)");
const sigemptyset = native("int sigemptyset(void *set)");
const initAttributes = native("int posix_spawnattr_init(void *attributes)");
const setFlags = native("int posix_spawnattr_setflags(void *attributes, short flags)");
const setDefaults = native("int posix_spawnattr_setsigdefault(void *attributes, const void *set)");
const setMask = native("int posix_spawnattr_setsigmask(void *attributes, const void *set)");
const initActions = native("int posix_spawn_file_actions_init(void *actions)");
const destroyActions = native("int posix_spawn_file_actions_destroy(void *actions)");
const addDup2 = native("int posix_spawn_file_actions_adddup2(void *actions, int from, int to)");
const addChdir = native("int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)");
const spawn = native(
  "int posix_spawn(int *pid, const char *file, const void *actions, const void *attributes, const char **args, const char **env)",
);

export interface SpawnRequest {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What the child gets as 0, 1, 2, …; all others must close on exec. */
  readonly descriptors: readonly number[];
}

/**
 * Starts a program in a session of its own, with no signal ignored or blocked, and returns its pid. The child borrows our
 * memory until it is the program, where Node copies the tables of all of it first: with 250 MB that is 12 ms in which the hub
 * does nothing else, against 0.2. Whoever starts it must wait for it (`endOfPid`). Throws SystemError.
 * man 3 posix_spawn; glibc 2.29 or musl 1.1.24 for the working directory, any kernel.
 */
export function posixSpawn({ file, args, env, cwd, descriptors }: SpawnRequest): number {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  for (const text of [file, cwd, ...args, ...variables]) if (text.includes("\0")) throw spawnError("EINVAL", file);
  const actions = Buffer.alloc(OPAQUE_BYTES);
  initActions(actions);
  const moved: number[] = [];
  try {
    // What is to become 3 may stand at 4, and the other way round: all of them first go out of the way.
    for (const from of descriptors) moved.push(moveUp(from, descriptors.length));
    for (const [to, from] of moved.entries()) addDup2(actions, from, to);
    addChdir(actions, cwd);
    const pid = Int32Array.of(0);
    const error = spawn(pid, file, actions, attributes(), [file, ...args, null], [...variables, null]);
    if (error !== 0) throw spawnError(getSystemErrorName(-error), file);
    return pid[0] as number;
  } finally {
    for (const fd of moved) close(fd);
    destroyActions(actions);
  }
}

let made: Buffer | undefined;

/** What is the same for every child: a session of its own, and no signal ignored or blocked. */
function attributes(): Buffer {
  if (made) return made;
  const [attributes, all, none] = [OPAQUE_BYTES, OPAQUE_BYTES, OPAQUE_BYTES].map((size) => Buffer.alloc(size));
  initAttributes(attributes);
  sigfillset(all);
  sigemptyset(none);
  setFlags(attributes, SETSID | SETSIGDEF | SETSIGMASK);
  setDefaults(attributes, all);
  setMask(attributes, none);
  made = attributes as Buffer;
  return made;
}

/**
 * Keeps every descriptor but the standard three from the next child, unless it is handed over. Node opens its own like
 * that, and marks the first few that it was started with; a supervisor, or a program that the hub is a part of, may have
 * left others open, and bwrap closes none of them. Outside of Linux the system starts children without them.
 * man 2 close_range, Linux 5.11; before that man 2 fcntl.
 */
export function closeOnExec(): void {
  if (process.platform !== "linux") return;
  if (closeRange(CLOSE_RANGE, FIRST_AFTER_STDIO, LAST, CLOSE_RANGE_CLOEXEC) === 0) return;
  for (const fd of readdirSync("/proc/self/fd").map(Number))
    if (fd >= FIRST_AFTER_STDIO) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/** Opens a pipe; neither end goes to a child unless it is handed over. man 2 pipe2, any kernel. */
export function openPipe(): { readonly read: number; readonly write: number } {
  const ends = Int32Array.of(0, 0);
  if (pipe2(ends, O_CLOEXEC) !== 0) throw spawnError(lastError(), "pipe");
  const [read, write] = ends as unknown as [number, number];
  return { read, write };
}

export type ChildEnd = { readonly exitCode: number } | { readonly signal: number };

/**
 * Reaps a child and returns how it ended; undefined while it runs. A child that somebody else has waited for is lost: exit code 255.
 * man 2 waitpid, any kernel.
 */
export function endOfPid(pid: number): ChildEnd | undefined {
  const told = Int32Array.of(0);
  const result = waitpid(pid, told, WNOHANG);
  if (result === 0) return undefined;
  if (result < 0) return { exitCode: 255 };
  const [status = 0] = told;
  return (status & 0x7f) === 0 ? { exitCode: (status >> 8) & 0xff } : { signal: status & 0x7f };
}

function moveUp(fd: number, lowest: number): number {
  const moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
  if (moved < 0) throw spawnError(lastError(), "dup");
  return moved;
}

function spawnError(code: string, what: string): SystemError {
  return new SystemError("posix_spawn", code, `spawn ${what} ${code}`);
}
