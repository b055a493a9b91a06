import { constants } from "node:fs";
import { checked, native } from "./libc.ts";

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

// `syscall` takes its arguments from registers: a fixed signature for each call works like `...`.
const openat2 = native("long syscall(long number, int dir, const char *path, const void *how, size_t size)");
const openTree = native("long syscall(long number, int dir, const char *path, uint flags)");
const moveMount = native(
  "long syscall(long number, int from, const char *fromPath, int to, const char *toPath, uint flags)",
);
const mountSetattr = native(
  "long syscall(long number, int dir, const char *path, uint flags, const void *attributes, size_t size)",
);
const mount = native(
  "int mount(const char *source, const char *target, const char *type, ulong flags, const char *data)",
);

/** Opens what is at the path, not for reading. A link anywhere in the path is ELOOP. man 2 openat2, Linux 5.6. */
export function openWithoutLinks(path: string): number {
  const how = BigUint64Array.of(BigInt(O_PATH | O_CLOEXEC), 0n, BigInt(RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS));
  return checked("openat2", openat2(OPENAT2, AT_FDCWD, path, how, how.byteLength));
}

/** Opens a directory below one that is open: neither a link nor `..` leads anywhere from there (ELOOP, EXDEV). man 2 openat2, Linux 5.6. */
export function openBeneath(directory: number, path: string): number {
  return openFrom(directory, path, constants.O_DIRECTORY);
}

/** Opens anything below a directory that is open, as `openBeneath` does. man 2 openat2, Linux 5.6. */
export function openEntryBeneath(directory: number, path: string): number {
  return openFrom(directory, path, 0);
}

function openFrom(directory: number, path: string, flags: number): number {
  const resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH;
  const how = BigUint64Array.of(BigInt(O_PATH | O_CLOEXEC | flags), 0n, BigInt(resolve));
  return checked("openat2", openat2(OPENAT2, directory, path, how, how.byteLength));
}

/** Copies the mount at the descriptor and those below; the copy is attached nowhere yet. man 2 open_tree, Linux 5.2. */
export function cloneTree(fd: number): number {
  const flags = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE;
  return checked("open_tree", openTree(OPEN_TREE, fd, "", flags));
}

/** Maps the owners in all of the tree as the user namespace does, or changes nothing. man 2 mount_setattr, Linux 5.12. */
export function mapOwners(tree: number, userNamespace: number): void {
  const set = BigInt(MOUNT_ATTR_IDMAP | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  // struct mount_attr: attr_set, attr_clr, propagation, userns_fd
  const attributes = BigUint64Array.of(set, 0n, 0n, BigInt(userNamespace));
  const flags = AT_EMPTY_PATH | AT_RECURSIVE;
  checked("mount_setattr", mountSetattr(MOUNT_SETATTR, tree, "", flags, attributes, attributes.byteLength));
}

/** Makes the tree read-only for everyone. man 2 mount_setattr, Linux 5.12. */
export function makeReadOnly(tree: number): void {
  const attributes = BigUint64Array.of(BigInt(MOUNT_ATTR_RDONLY), 0n, 0n, 0n);
  const flags = AT_EMPTY_PATH | AT_RECURSIVE;
  checked("mount_setattr", mountSetattr(MOUNT_SETATTR, tree, "", flags, attributes, attributes.byteLength));
}

/** Attaches the tree to the very directory that is open, even if it has another name by now. man 2 move_mount, Linux 5.2. */
export function attachTreeOn(tree: number, directory: number): void {
  const flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  checked("move_mount", moveMount(MOVE_MOUNT, tree, "", directory, "", flags));
}

/** Attaches the tree at the path. man 2 move_mount, Linux 5.2. */
export function attachTree(tree: number, path: string): void {
  checked("move_mount", moveMount(MOVE_MOUNT, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH));
}

/** Mounts memory from which no program can be started. man 2 mount, man 5 tmpfs; any kernel. */
export function mountTmpfs(path: string, options: string): void {
  checked("mount", mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options));
}

/** Mounts memory from which programs can be started. man 2 mount, man 5 tmpfs; any kernel. */
export function mountScratch(path: string, options: string): void {
  checked("mount", mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options));
}

/** man 2 mount, Documentation/filesystems/overlayfs.rst; Linux 5.11 without root (`userxattr`). */
export function mountOverlay(path: string, options: string): void {
  checked("mount", mount("overlay", path, "overlay", MS_NOSUID | MS_NODEV, options));
}
