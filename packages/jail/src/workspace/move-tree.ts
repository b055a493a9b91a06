import { fchmodSync, fstatSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type OpenDirectory, openDirectory } from "@countersign/core/host/fs";
import { nodePath } from "@countersign/native";
import { copyTree, removeTree } from "./copy-tree.ts";

/**
 * Moves whatever stands at a path to a name that is free. Links are moved as links; nothing behind one is touched, also when
 * directories are swapped for links meanwhile. Gives back where it is then: beside its old place, with `suffix`, when it
 * can't be brought there (another file system and too large, no space). Undefined when nothing stands at the path any more.
 */
export async function moveTree(path: string, to: string | undefined, suffix: string): Promise<string | undefined> {
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
      open(parent);
    }
  }
  return "stays";
}

/** What planted something may have closed the directory to its owner. */
function open({ fd }: OpenDirectory): void {
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
