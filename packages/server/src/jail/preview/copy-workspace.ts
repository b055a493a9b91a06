import { constants, type Stats } from "node:fs";
import { chmod, copyFile, lchown, lstat, lutimes, mkdir, open, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import { JailError } from "../jail-error.ts";
import { isAbsence } from "../places/kind-at.ts";
import { type OpenDirectory, openDirectory, openInside } from "../places/open-directory.ts";
import { nodePath } from "../places/path-bytes.ts";
import { readDirectory } from "../places/read-directory.ts";

export interface CopyBudget {
  entries: number;
  bytes: number;
}

export const COPY_LIMITS: Readonly<CopyBudget> = { entries: 50_000, bytes: 512 * 1024 * 1024 };
const MOST_DEPTH = 64;
const COPIED_MODE = 0o777;

/**
 * Copies a directory with owners, modes and times; files share their blocks where the file system can. No link is followed,
 * also not one that takes a directory's place meanwhile. Returns what was left out: pipes, sockets and devices, and what we
 * can't read.
 */
export async function copyWorkspace(root: string, to: string, budget: CopyBudget): Promise<ReadonlySet<string>> {
  using from = openDirectory(root);
  if (!from) throw new JailError("PATH_CHANGED", `${root} was replaced`);
  const leftOut = new Set<string>();
  await mkdir(to, { mode: 0o700 });
  await copyInside(from, to, { root, budget, leftOut, depth: 0 });
  await dress(to, await lstat(from.at(".")));
  return leftOut;
}

interface Going {
  /** What is copied, by the host's name. */
  readonly root: string;
  readonly budget: CopyBudget;
  readonly leftOut: Set<string>;
  readonly depth: number;
}

async function copyInside(from: OpenDirectory, to: string, { root, budget, leftOut, depth }: Going): Promise<void> {
  if (depth > MOST_DEPTH) throw tooLarge("deeper");
  const reading = readDirectory(from.path, { size: Number.POSITIVE_INFINITY, most: budget.entries });
  if ("failed" in reading) return;
  budget.entries -= reading.entries.length;
  if (reading.more) throw tooLarge("larger");
  for (const { name } of reading.entries) {
    const inside = { root: join(root, name), budget, leftOut, depth: depth + 1 };
    const copied = await copyEntry(from.at(name), join(to, name), inside).catch((cause) => {
      // Gone meanwhile, or closed to us: a run with our rights couldn't read it either.
      if (isAbsence(cause)) return false;
      throw cause;
    });
    if (!copied) leftOut.add(inside.root);
  }
}

async function copyEntry(from: string | Buffer, to: string, going: Going): Promise<boolean> {
  const stat = await lstat(from);
  if (stat.isSymbolicLink()) await symlink(await readlink(from, { encoding: "buffer" }), nodePath(to));
  else if (stat.isFile()) await copyContents(from, to, going.budget);
  else if (stat.isDirectory()) {
    using directory = openInside(from);
    if (!directory) return false;
    await mkdir(nodePath(to), { mode: 0o700 });
    await copyInside(directory, to, going);
  } else return false;
  await dress(to, stat);
  return true;
}

async function copyContents(from: string | Buffer, to: string, budget: CopyBudget): Promise<void> {
  // Whatever has taken the file's place since must neither be followed nor make us wait.
  await using file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stat = await file.stat();
  budget.bytes -= stat.size;
  if (budget.bytes < 0) throw tooLarge("larger");
  const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
  if (stat.isFile()) await copyFile(`/proc/self/fd/${file.fd}`, nodePath(to), flags);
}

async function dress(path: string, stat: Stats): Promise<void> {
  const at = nodePath(path);
  if (process.geteuid?.() === 0) await lchown(at, stat.uid, stat.gid);
  if (!stat.isSymbolicLink()) await chmod(at, stat.mode & COPIED_MODE);
  await lutimes(at, stat.atime, stat.mtime);
}

function tooLarge(how: "larger" | "deeper"): JailError {
  return new JailError("TOO_LARGE_TO_COPY", `The workspace is ${how} than is copied for a preview`);
}
