import { getSystemErrorName } from "node:util";
import koffi from "koffi";

const O_CLOEXEC = 0o2000000;
const F_DUPFD_CLOEXEC = 1030;
const SETSIGDEF = 0x04;
const SETSIGMASK = 0x08;
const SETSID = 0x80;
const WNOHANG = 1;

/** More than any libc's `posix_spawn_file_actions_t`, `posix_spawnattr_t` and `sigset_t`. */
const OPAQUE_BYTES = 1_024;

const libc = koffi.load(null);
const pipe2 = libc.func("int pipe2(int *ends, int flags)");
const close = libc.func("int close(int fd)");
const fcntl = libc.func("int fcntl(int fd, int command, int lowest)");
const waitpid = libc.func("int waitpid(int pid, int *status, int options)");
const sigfillset = libc.func("int sigfillset(void *set)");
const sigemptyset = libc.func("int sigemptyset(void *set)");
const initAttributes = libc.func("int posix_spawnattr_init(void *attributes)");
const setFlags = libc.func("int posix_spawnattr_setflags(void *attributes, short flags)");
const setDefaults = libc.func("int posix_spawnattr_setsigdefault(void *attributes, const void *set)");
const setMask = libc.func("int posix_spawnattr_setsigmask(void *attributes, const void *set)");
const initActions = libc.func("int posix_spawn_file_actions_init(void *actions)");
const destroyActions = libc.func("int posix_spawn_file_actions_destroy(void *actions)");
const addDup2 = libc.func("int posix_spawn_file_actions_adddup2(void *actions, int from, int to)");
const addChdir = libc.func("int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)");
const spawn = libc.func(
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
 * does nothing else, against 0.2. Whoever starts it must wait for it (`endOfPid`). Throws with a system error's `code`.
 */
export function posixSpawn({ file, args, env, cwd, descriptors }: SpawnRequest): number {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  for (const text of [file, cwd, ...args, ...variables]) if (text.includes("\0")) throw systemError("EINVAL", file);
  const actions = Buffer.alloc(OPAQUE_BYTES);
  initActions(actions);
  const moved: number[] = [];
  try {
    // What is to become 3 may stand at 4, and the other way round: all of them first go out of the way.
    for (const from of descriptors) moved.push(moveUp(from, descriptors.length));
    for (const [to, from] of moved.entries()) addDup2(actions, from, to);
    addChdir(actions, cwd);
    const pid = Int32Array.of(0);
    const error = spawn(pid, file, actions, ATTRIBUTES, [file, ...args, null], [...variables, null]);
    if (error !== 0) throw systemError(getSystemErrorName(-error), file);
    return pid[0] as number;
  } finally {
    for (const fd of moved) close(fd);
    destroyActions(actions);
  }
}

const ATTRIBUTES = makeAttributes();

function makeAttributes(): Buffer {
  const [attributes, all, none] = [OPAQUE_BYTES, OPAQUE_BYTES, OPAQUE_BYTES].map((size) => Buffer.alloc(size));
  initAttributes(attributes);
  sigfillset(all);
  sigemptyset(none);
  setFlags(attributes, SETSID | SETSIGDEF | SETSIGMASK);
  setDefaults(attributes, all);
  setMask(attributes, none);
  return attributes as Buffer;
}

/** A pipe's ends; neither goes to a child unless it is handed over. */
export function openPipe(): { readonly read: number; readonly write: number } {
  const ends = Int32Array.of(0, 0);
  if (pipe2(ends, O_CLOEXEC) !== 0) throw systemError(getSystemErrorName(-koffi.errno()), "pipe");
  const [read, write] = ends as unknown as [number, number];
  return { read, write };
}

export type ChildEnd = { readonly exitCode: number } | { readonly signal: number };

/** How a child ended, told once; undefined while it runs. A child that somebody else has waited for is lost: exit code 255. */
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
  if (moved < 0) throw systemError(getSystemErrorName(-koffi.errno()), "dup");
  return moved;
}

function systemError(code: string, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`spawn ${what} ${code}`), { code });
}
