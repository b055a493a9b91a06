import { constants } from "node:fs";
import { getSystemErrorName } from "node:util";
import koffi from "koffi";

// The new calls have the same number on every architecture: asm-generic/unistd.h.
const OPEN_TREE = 428;
const MOVE_MOUNT = 429;
const OPENAT2 = 437;
const MOUNT_SETATTR = 442;

const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x1000;
const AT_RECURSIVE = 0x8000;
const OPEN_TREE_CLONE = 1;
const MOVE_MOUNT_F_EMPTY_PATH = 4;
const MOVE_MOUNT_T_EMPTY_PATH = 0x40;
const O_CLOEXEC = 0o2000000;
const O_PATH = 0o10000000;
const RESOLVE_NO_MAGICLINKS = 2;
const RESOLVE_NO_SYMLINKS = 4;
const RESOLVE_BENEATH = 8;
const MOUNT_ATTR_RDONLY = 1;
const MOUNT_ATTR_NOSUID = 2;
const MOUNT_ATTR_NODEV = 4;
const MOUNT_ATTR_IDMAP = 0x100000;
const MS_NOSUID = 2;
const MS_NODEV = 4;
const MS_NOEXEC = 8;

// `syscall` takes its arguments from registers: a fixed signature for each call is as good as `...`.
const libc = koffi.load(null);
const openat2 = libc.func("long syscall(long number, int dir, const char *path, const void *how, size_t size)");
const openTree = libc.func("long syscall(long number, int dir, const char *path, uint flags)");
const moveMount = libc.func(
  "long syscall(long number, int from, const char *fromPath, int to, const char *toPath, uint flags)",
);
const mountSetattr = libc.func(
  "long syscall(long number, int dir, const char *path, uint flags, const void *attributes, size_t size)",
);
const mount = libc.func(
  "int mount(const char *source, const char *target, const char *type, ulong flags, const char *data)",
);

/** `errno` is a name: ENOSYS. */
export class SyscallError extends Error {
  readonly errno: string;
  constructor(call: string, errno: string) {
    super(`${call}: ${errno}`);
    this.name = "SyscallError";
    this.errno = errno;
  }
}

export function checked(call: string, result: number): number {
  if (result < 0) throw new SyscallError(call, getSystemErrorName(-koffi.errno()));
  return result;
}

/** A descriptor of what is there, not open for reading. A link anywhere in the path is ELOOP. */
export function openWithoutLinks(path: string): number {
  const how = BigUint64Array.of(BigInt(O_PATH | O_CLOEXEC), 0n, BigInt(RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS));
  return checked("openat2", openat2(OPENAT2, AT_FDCWD, path, how, how.byteLength));
}

/** The same of a directory below one that is open: neither a link nor `..` leads anywhere from there (ELOOP, EXDEV). */
export function openBeneath(directory: number, path: string): number {
  return openFrom(directory, path, constants.O_DIRECTORY);
}

/** The same of anything below one that is open. */
export function openEntryBeneath(directory: number, path: string): number {
  return openFrom(directory, path, 0);
}

function openFrom(directory: number, path: string, flags: number): number {
  const resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH;
  const how = BigUint64Array.of(BigInt(O_PATH | O_CLOEXEC | flags), 0n, BigInt(resolve));
  return checked("openat2", openat2(OPENAT2, directory, path, how, how.byteLength));
}

/** A copy of the mounts there and below, that stands nowhere yet. */
export function cloneTree(fd: number): number {
  const flags = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE;
  return checked("open_tree", openTree(OPEN_TREE, fd, "", flags));
}

/** Owners in the tree become what the user namespace maps them to. All of the tree, or nothing. */
export function mapOwners(tree: number, userNamespace: number): void {
  const set = BigInt(MOUNT_ATTR_IDMAP | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  // struct mount_attr: attr_set, attr_clr, propagation, userns_fd
  const attributes = BigUint64Array.of(set, 0n, 0n, BigInt(userNamespace));
  const flags = AT_EMPTY_PATH | AT_RECURSIVE;
  checked("mount_setattr", mountSetattr(MOUNT_SETATTR, tree, "", flags, attributes, attributes.byteLength));
}

/** Nothing in the tree can be changed through it, whoever owns it. */
export function makeReadOnly(tree: number): void {
  const attributes = BigUint64Array.of(BigInt(MOUNT_ATTR_RDONLY), 0n, 0n, 0n);
  const flags = AT_EMPTY_PATH | AT_RECURSIVE;
  checked("mount_setattr", mountSetattr(MOUNT_SETATTR, tree, "", flags, attributes, attributes.byteLength));
}

/** On the very directory that is open, whatever it is called by now. */
export function attachTreeOn(tree: number, directory: number): void {
  const flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  checked("move_mount", moveMount(MOVE_MOUNT, tree, "", directory, "", flags));
}

export function attachTree(tree: number, path: string): void {
  checked("move_mount", moveMount(MOVE_MOUNT, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH));
}

export function mountTmpfs(path: string, options: string): void {
  checked("mount", mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options));
}

/** One from which programs can be started. */
export function mountScratch(path: string, options: string): void {
  checked("mount", mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options));
}

export function mountOverlay(path: string, options: string): void {
  checked("mount", mount("overlay", path, "overlay", MS_NOSUID | MS_NODEV, options));
}
