import { createHash } from "node:crypto";
import { constants, fchmodSync, fstatSync } from "node:fs";
import { lstat, mkdir, open, readlink, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeFileAtomically } from "@countersign/core/base";
import { kindAt, type OpenDirectory, openDirectory, readDirectory } from "@countersign/core/host/fs";
import { nodePath, pathFromBytes } from "@countersign/native";
import type { FileType } from "@countersign/vocabulary";
import { chunksOf, copyTree, removeTree } from "./copy-tree.ts";

export interface Quarantined {
  /** Where it was. */
  readonly path: string;
  /** Where it is now. */
  readonly at: string;
}

export interface QuarantineReport {
  readonly quarantined: readonly Quarantined[];
  /** Still stands where it would start code, with the system's code: a person must look. */
  readonly failed: readonly { readonly path: string; readonly code: string }[];
}

const MANIFEST = "manifest.json";

/** Looked at for the manifest of one run. */
const DESCRIBED = { entries: 10_000, bytes: 256 * 1024 * 1024 };

/**
 * Takes things away from where they would start code, to `<directory>/<n>/<name>`, with a `manifest.json` that tells where
 * each was. `directory` is ours alone, and new for each run.
 */
export async function quarantine(paths: readonly string[], directory: string): Promise<QuarantineReport> {
  const quarantined: Quarantined[] = [];
  const failed: { path: string; code: string }[] = [];
  if (paths.length === 0) return { quarantined, failed };
  for (const [number, path] of paths.entries()) {
    const result = await take(path, { directory, number });
    if (result === undefined) continue;
    if ("code" in result) failed.push({ path, code: result.code });
    else quarantined.push({ path, at: result.at });
  }
  try {
    await writeManifest(directory, quarantined);
  } catch (cause) {
    // What was taken away is told all the same.
    failed.push({ path: join(directory, MANIFEST), code: codeOf(cause) });
  }
  return { quarantined, failed };
}

async function take(
  path: string,
  { directory, number }: { directory: string; number: number },
): Promise<{ at: string } | { code: string } | undefined> {
  try {
    const shelf = await makeShelf(join(directory, `${number}`));
    const to = shelf && join(shelf, basename(path));
    const at = await moveTree(path, to, `.quarantined-${basename(directory)}`);
    if (at !== undefined) return { at };
    return kindAt(path) === undefined ? undefined : { code: "UNREACHABLE" };
  } catch (cause) {
    return { code: codeOf(cause) };
  }
}

/** Undefined when it can't be made, on a full disk: what would lie there is put out of use where it is. */
async function makeShelf(path: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (cause) {
    codeOf(cause);
    return undefined;
  }
}

/** Anything else is a bug. */
function codeOf(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined) throw cause;
  return code;
}

async function writeManifest(directory: string, quarantined: readonly Quarantined[]): Promise<void> {
  const budget = { ...DESCRIBED };
  const entries: (Quarantined & { readonly inside: readonly DescribedEntry[] })[] = [];
  for (const one of quarantined) entries.push({ ...one, inside: await describeTree(one.at, one.path, budget) });
  await writeFileAtomically(join(directory, MANIFEST), `${JSON.stringify(entries, undefined, 2)}\n`);
}

/**
 * Moves whatever stands at a path to a name that is free. Links are moved as links; nothing behind one is touched, also when
 * directories are swapped for links meanwhile. Gives back where it is then: beside its old place, with `suffix`, when it
 * can't be brought there (another file system and too large, no space). Undefined when nothing stands at the path any more.
 */
async function moveTree(path: string, to: string | undefined, suffix: string): Promise<string | undefined> {
  using parent = openDirectory(dirname(path));
  if (parent === undefined) return undefined;
  const name = basename(path);
  const tried = to === undefined ? "stays" : await renamed(parent, name, nodePath(to));
  if (tried === "gone") return undefined;
  if (tried === "done") return to;
  // Out of use at once, whatever becomes of the copy. A directory that its maker closed can be renamed, but not moved.
  const aside = Buffer.byteLength(name + suffix) <= LONGEST_NAME ? name + suffix : `long-name${suffix}`;
  await rename(parent.at(name), parent.at(aside));
  return to !== undefined && (await copied(parent, aside, to)) ? to : join(dirname(path), aside);
}

const LONGEST_NAME = 255;

async function renamed(parent: OpenDirectory, name: string, to: string | Buffer): Promise<"done" | "gone" | "stays"> {
  for (const mayRetry of [true, false]) {
    try {
      await rename(parent.at(name), to);
      return "done";
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "ENOENT") return "gone";
      if (code !== "EACCES" || !mayRetry) return "stays";
      openToOwner(parent);
    }
  }
  return "stays";
}

/** What planted something may have closed the directory to its owner. */
function openToOwner({ fd }: OpenDirectory): void {
  fchmodSync(fd, (fstatSync(fd).mode & 0o777) | 0o700);
}

async function copied(parent: OpenDirectory, name: string, to: string): Promise<boolean> {
  try {
    await copyTree(parent, name, to);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    // Too large, closed, or no room: what was copied so far is in our own directory.
    await rm(nodePath(to), { recursive: true, force: true });
    return false;
  }
  await removeTree(parent, name);
  return true;
}

/** One file, directory or link of something that was taken away. */
interface DescribedEntry {
  /** Where it was. */
  readonly path: string;
  readonly kind: FileType;
  /** Octal: `755`. */
  readonly mode: string;
  readonly sha256?: string;
  /** Of a link. */
  readonly target?: string;
}

/** For all that one run left: what comes behind isn't described. */
interface DescribeBudget {
  entries: number;
  bytes: number;
}

/** Describes a tree that nobody else changes any more, as if it stood at `original`. */
async function describeTree(at: string, original: string, budget: DescribeBudget): Promise<DescribedEntry[]> {
  const described: DescribedEntry[] = [];
  const todo = [{ at, path: original }];
  for (let one = todo.pop(); one !== undefined && budget.entries > 0; one = todo.pop()) {
    budget.entries -= 1;
    const stat = await lstat(nodePath(one.at));
    const about = { path: one.path, mode: (stat.mode & 0o7777).toString(8) };
    if (stat.isFile()) described.push({ ...about, kind: "file", ...(await hashOf(one.at, stat.size, budget)) });
    else if (stat.isSymbolicLink()) described.push({ ...about, kind: "link", target: await targetOf(one.at) });
    else described.push({ ...about, kind: stat.isDirectory() ? "directory" : "other" });
    if (!stat.isDirectory()) continue;
    const reading = readDirectory(one.at, { size: 0, most: budget.entries });
    if ("failed" in reading) continue;
    for (const { name } of reading.entries) todo.push({ at: join(one.at, name), path: join(one.path, name) });
  }
  return described;
}

/** A file that is too large, or closed to us, is told without. */
async function hashOf(at: string, size: number, budget: DescribeBudget): Promise<{ sha256?: string }> {
  if (size > budget.bytes) return {};
  budget.bytes -= size;
  try {
    await using file = await open(nodePath(at), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const hash = createHash("sha256");
    for await (const chunk of chunksOf(file)) hash.update(chunk);
    return { sha256: hash.digest("hex") };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EACCES") return {};
    throw cause;
  }
}

async function targetOf(at: string): Promise<string> {
  return pathFromBytes(await readlink(nodePath(at), { encoding: "buffer" }));
}
