import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isAbsence, type OpenDirectory, openDirectory, openInside, readDirectory } from "@countersign/core/host/fs";
import { pathFromBytes } from "@countersign/native";
import type { FileChange, FileState } from "@countersign/protocol/proposals";
import { ChangeList, type Changes, type TreeQuota, treeQuota } from "./change-list.ts";
import { sameContents } from "./compare-files.ts";
import type { Copied, Layer } from "./discard-sandbox.ts";

/** Names looked at, in all. */
const MOST_SEEN = 100_000;
const MOST_DEPTH = 128;
/** So that others get their turn. */
const SEEN_AT_ONCE = 500;

/**
 * What a run made of its roots, read from outside when nothing of it is alive any more. No link is followed, neither in what
 * the run left nor in the workspace, which others may change meanwhile. `ours`: empty directories that the jail made.
 */
export async function findChanges(layers: readonly Layer[], ours: ReadonlySet<string>): Promise<Changes> {
  const finder = new ChangeFinder(ours);
  for (const { root, after, upper, copied } of layers) {
    using before = openDirectory(root);
    using now = openInside(after);
    using touched = upper === undefined ? undefined : openInside(upper);
    if (before && now) await finder.compareRoot({ before, now, touched }, { path: root, depth: 0, copied });
    else finder.list.cut();
  }
  return finder.list.found();
}

/** A directory as it was and as it is; `touched` tells what to compare, where that is known. */
interface Directories {
  readonly before: OpenDirectory;
  readonly now: OpenDirectory;
  readonly touched: OpenDirectory | undefined;
}

interface Where {
  readonly path: string;
  readonly depth: number;
  readonly copied: Copied | undefined;
}

interface Tree {
  readonly directory: OpenDirectory;
  readonly name: string;
  readonly change: "created" | "deleted";
  readonly quota: TreeQuota;
}

class ChangeFinder {
  readonly list = new ChangeList();
  readonly #ours: ReadonlySet<string>;
  #seen = 0;

  constructor(ours: ReadonlySet<string>) {
    this.#ours = ours;
  }

  async compareRoot(directories: Directories, where: Where): Promise<void> {
    const was = standingAt(directories.before, ".");
    const is = standingAt(directories.now, ".");
    if (was && is) await this.#compareModes(was, is, where.path);
    await this.#compareInside(directories, where);
  }

  async #compareInside({ before, now, touched }: Directories, where: Where): Promise<void> {
    if (where.depth > MOST_DEPTH) return this.list.cut();
    const were = await this.#namesIn(before);
    const are = new Set(await this.#namesIn(now));
    for (const name of were) {
      if (!are.has(name) && !wasNeverThere(before, name, below(where, name))) {
        await this.#addTree(deleted(before, name), below(where, name));
      }
    }
    for (const name of touched ? await this.#namesIn(touched) : are) {
      // Some of what was touched is only there to say that a name is gone.
      if (are.has(name)) await this.#compareEntry(name, { before, now, touched }, below(where, name));
    }
  }

  async #compareEntry(name: string, directories: Directories, where: Where): Promise<void> {
    const { before, now } = directories;
    const was = standingAt(before, name);
    const is = standingAt(now, name);
    // What wasn't copied may have been covered all the same.
    if (!is || where.copied?.leftOut.has(where.path)) return;
    if (!was) return await this.#addTree(created(now, name), where);
    if (was.type === "directory" && is.type === "directory") {
      await this.#compareModes(was, is, where.path);
      return await this.#descend(name, directories, where);
    }
    const files = { before: before.at(name), after: now.at(name) };
    if (await isSame(was, is, { ...files, sinceNs: where.copied?.sinceNs })) return;
    const texts = was.type === "file" && is.type === "file" ? files : undefined;
    await this.list.add(changed(was, is, where.path), treeQuota(), texts);
    // One of the two may be a directory.
    await this.#addInside(deleted(before, name), where);
    await this.#addInside(created(now, name), where);
  }

  async #compareModes(was: Standing, is: Standing, path: string): Promise<void> {
    if (was.mode !== is.mode) await this.list.add(changed(was, is, path), treeQuota());
  }

  async #descend(name: string, { before, now, touched }: Directories, where: Where): Promise<void> {
    using was = openInside(before.at(name));
    using is = openInside(now.at(name));
    using upper = touched && openInside(touched.at(name));
    if (was && is && (upper || !touched)) await this.#compareInside({ before: was, now: is, touched: upper }, where);
    else this.list.cut();
  }

  /** Something that came or went as a whole, and all that is in it. */
  async #addTree(tree: Tree, where: Where): Promise<void> {
    const { directory, name, change, quota } = tree;
    const stands = standingAt(directory, name);
    if (!stands || this.#ours.has(where.path)) return;
    const came = change === "created";
    const texts = came && stands.type === "file" ? { after: directory.at(name) } : undefined;
    const state = came ? { after: stateOf(stands) } : { before: stateOf(stands) };
    await this.list.add({ path: where.path, change, ...state }, quota, texts);
    await this.#addInside(tree, where);
  }

  async #addInside({ directory, name, change, quota }: Tree, where: Where): Promise<void> {
    if (standingAt(directory, name)?.type !== "directory") return;
    using inside = where.depth > MOST_DEPTH ? undefined : openInside(directory.at(name));
    if (!inside) return this.list.cut();
    for (const child of await this.#namesIn(inside)) {
      await this.#addTree({ directory: inside, name: child, change, quota }, below(where, child));
    }
  }

  async #namesIn(directory: OpenDirectory): Promise<string[]> {
    const reading = readDirectory(directory.path, { size: Number.POSITIVE_INFINITY, most: MOST_SEEN - this.#seen });
    if ("failed" in reading || reading.more) this.list.cut();
    if ("failed" in reading) return [];
    const before = this.#seen;
    this.#seen += reading.entries.length;
    if (Math.floor(before / SEEN_AT_ONCE) !== Math.floor(this.#seen / SEEN_AT_ONCE)) await setImmediate();
    return reading.entries.map(({ name }) => name);
  }
}

function created(directory: OpenDirectory, name: string): Tree {
  return { directory, name, change: "created", quota: treeQuota() };
}

function deleted(directory: OpenDirectory, name: string): Tree {
  return { directory, name, change: "deleted", quota: treeQuota() };
}

/** What isn't in a copy, but not because the run removed it. */
function wasNeverThere(before: OpenDirectory, name: string, { path, copied }: Where): boolean {
  if (!copied) return false;
  return copied.leftOut.has(path) || (standingAt(before, name)?.changedNs ?? copied.sinceNs) >= copied.sinceNs;
}

function changed(was: Standing, is: Standing, path: string): FileChange {
  return { path, change: "changed", before: stateOf(was), after: stateOf(is) };
}

function below(where: Where, name: string): Where {
  return { ...where, path: join(where.path, name), depth: where.depth + 1 };
}

interface Same {
  readonly before: string | Buffer;
  readonly after: string | Buffer;
  readonly sinceNs: bigint | undefined;
}

/** A file that was only opened for writing, or touched, is the same. */
async function isSame(was: Standing, is: Standing, { before, after, sinceNs }: Same): Promise<boolean> {
  if (sinceNs !== undefined && is.changedNs < sinceNs) return true;
  const { type, mode, size, target } = was;
  if (type !== is.type || mode !== is.mode || size !== is.size || target !== is.target) return false;
  return type !== "file" || (await sameContents(before, after, size));
}

/** What stands at a name, and when it was last changed. */
interface Standing extends FileState {
  readonly changedNs: bigint;
}

/** Undefined when nothing does, or nothing that we may look at. */
function standingAt(directory: OpenDirectory, name: string): Standing | undefined {
  try {
    const at = directory.at(name);
    const stat = lstatSync(at, { bigint: true });
    const type = typeOf(stat);
    return {
      type,
      mode: (stat.mode & 0o7777n).toString(8),
      // A directory's size is its file system's own matter.
      size: type === "directory" ? 0 : Number(stat.size),
      ...(type === "link" ? { target: pathFromBytes(readlinkSync(at, { encoding: "buffer" })).toWellFormed() } : {}),
      changedNs: stat.ctimeNs,
    };
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw cause;
  }
}

function stateOf({ changedNs: _, ...state }: Standing): FileState {
  return state;
}

function typeOf(stat: BigIntStats): FileState["type"] {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  return stat.isSymbolicLink() ? "link" : "other";
}
