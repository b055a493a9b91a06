import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readlinkSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  isAbsence,
  mountsWithin,
  type OpenDirectory,
  openDirectory,
  openInside,
  readDirectory,
} from "@countersign/core/host/fs";
import { nodePath } from "@countersign/native";
import { JailError } from "../base/index.ts";

export interface CopyBudget {
  entries: number;
  bytes: number;
}

export const COPY_LIMITS: Readonly<CopyBudget> = { entries: 50_000, bytes: 512 * 1024 * 1024 };
const MOST_DEPTH = 64;
const COPIED_MODE = 0o7777;
/** Small ones are copied at once, which is ten times as quick; between so many others get their turn. */
const SMALL_BYTES = 256 * 1024;
const ENTRIES_AT_ONCE = 100;

/**
 * Copies a directory with owners, modes and times; files share their blocks where the file system can. No link is followed,
 * also not one that takes a directory's place meanwhile. Returns what was left out: pipes, sockets and devices, mounts that
 * hold no files, and what we can't read.
 */
export async function copyWorkspace(
  { root, copy: to }: { readonly root: string; readonly copy: string },
  budget: CopyBudget,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  using from = openDirectory(root);
  if (!from) throw new JailError("PATH_CHANGED", `${root} was replaced`);
  const leftOut = new Set(unanswered(root));
  mkdirSync(to, { mode: 0o700 });
  await copyInside(from, to, { root, budget, leftOut, signal, depth: 0 });
  dress(to, lstatSync(from.at(".")));
  return leftOut;
}

/** Mounts of the kernel's own and of other machines: what is in them has no end, or may never be answered for. */
function unanswered(root: string): string[] {
  return mountsWithin(root).flatMap(({ path, kind }) => (kind === "ordinary" ? [] : [path]));
}

interface Going {
  /** What is copied, by the host's name. */
  readonly root: string;
  readonly budget: CopyBudget;
  readonly leftOut: Set<string>;
  readonly signal: AbortSignal;
  readonly depth: number;
}

async function copyInside(from: OpenDirectory, to: string, going: Going): Promise<void> {
  const { root, budget, leftOut, signal, depth } = going;
  if (depth > MOST_DEPTH) throw tooLarge("deeper");
  const reading = readDirectory(from.path, { size: Number.POSITIVE_INFINITY, most: budget.entries });
  if ("failed" in reading) return;
  if (reading.more) throw tooLarge("larger");
  for (const { name } of reading.entries) {
    if (signal.aborted) throw new JailError("CANCELLED", "Nobody waits for the preview any more");
    budget.entries -= 1;
    if (budget.entries % ENTRIES_AT_ONCE === 0) await setImmediate();
    const inside = { ...going, root: join(root, name), depth: depth + 1 };
    if (leftOut.has(inside.root)) continue;
    const copied = await copyEntry(from.at(name), join(to, name), inside).catch((cause) => {
      // Gone meanwhile, or closed to us: a run with our rights couldn't read it either.
      if (isAbsence(cause)) return false;
      throw cause;
    });
    if (!copied) leftOut.add(inside.root);
  }
}

async function copyEntry(from: string | Buffer, to: string, going: Going): Promise<boolean> {
  const stat = lstatSync(from);
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from, { encoding: "buffer" }), nodePath(to));
  else if (stat.isFile()) await copyContents(from, to, going.budget);
  else if (stat.isDirectory()) {
    using directory = openInside(from);
    if (!directory) return false;
    mkdirSync(nodePath(to), { mode: 0o700 });
    await copyInside(directory, to, going);
  } else return false;
  dress(to, stat);
  return true;
}

async function copyContents(from: string | Buffer, to: string, budget: CopyBudget): Promise<void> {
  // Whatever has taken the file's place since must neither be followed nor make us wait.
  const fd = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    budget.bytes -= stat.size;
    if (budget.bytes < 0) throw tooLarge("larger");
    const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
    const copy = [`/proc/self/fd/${fd}`, nodePath(to) as string, flags] as const;
    if (stat.size > SMALL_BYTES) await copyFile(...copy);
    else if (stat.isFile()) copyFileSync(...copy);
  } finally {
    closeSync(fd);
  }
}

function dress(path: string, stat: Stats): void {
  const at = nodePath(path);
  if (process.geteuid?.() === 0) lchownSync(at, stat.uid, stat.gid);
  if (!stat.isSymbolicLink()) chmodSync(at, stat.mode & COPIED_MODE);
  lutimesSync(at, stat.atime, stat.mtime);
}

function tooLarge(how: "larger" | "deeper"): JailError {
  return new JailError("TOO_LARGE_TO_COPY", `The workspace is ${how} than is copied for a preview`);
}
