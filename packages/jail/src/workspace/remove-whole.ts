import { randomUUID } from "node:crypto";
import { rename, rmdir, unlink } from "node:fs/promises";
import { type Entry, type OpenDirectory, openClosed, readDirectory } from "@countersign/core/host/fs";
import { nodePath } from "@countersign/native";

/** Names that are held at once. */
const MOST_ENTRIES = 10_000;

/**
 * Removes a directory of this user's with all that is in it, also where whoever wrote there took our rights to it away, or went deeper than a path is
 * long. No link is followed. Done where nothing stands there.
 */
export async function removeWhole(path: string): Promise<void> {
  using directory = openClosed(path);
  if (directory !== undefined) await emptyDirectory(directory);
  await unlessGone(rmdir(nodePath(path)));
}

/** The same of what is in one that is open with `openClosed`, but for the entry that is kept. */
export async function emptyDirectory(top: OpenDirectory, kept?: string): Promise<void> {
  await forEachEntry(top, kept, async ({ name, kind }) => {
    if (kind === "directory") await removeInside(top, name);
    else await unlessGone(unlink(top.at(name)));
  });
}

/** The directories in it become entries of the top one, which gets to them later: so two descriptors are enough for any depth. */
async function removeInside(top: OpenDirectory, name: string): Promise<void> {
  using directory = openClosed(top.at(name));
  // Something else has taken its place.
  if (directory === undefined) return await unlessGone(unlink(top.at(name)));
  await forEachEntry(directory, undefined, async (entry) => {
    if (entry.kind === "directory") await bringUp(directory, entry.name, top);
    else await unlessGone(unlink(directory.at(entry.name)));
  });
  await unlessGone(rmdir(top.at(name)));
}

async function bringUp(from: OpenDirectory, name: string, top: OpenDirectory): Promise<void> {
  // Without rights to it, a directory can't be moved to another one.
  openClosed(from.at(name))?.[Symbol.dispose]();
  await unlessGone(rename(from.at(name), top.at(randomUUID())));
}

/** Until there is none any more. */
async function forEachEntry(
  directory: OpenDirectory,
  kept: string | undefined,
  remove: (entry: Entry) => Promise<void>,
): Promise<void> {
  for (let before: string | undefined; ; ) {
    const reading = readDirectory(directory.path, { size: Number.MAX_SAFE_INTEGER, most: MOST_ENTRIES });
    if ("failed" in reading) throw new Error(`${directory.realPath()} can't be read: ${reading.failed}`);
    const entries = reading.entries.filter(({ name }) => name !== kept);
    const first = entries[0]?.name;
    if (first === undefined) return;
    // Or a file system that lists what it doesn't have would keep us here.
    if (first === before) throw new Error(`${directory.realPath()} can't be emptied: ${first} stays`);
    before = first;
    for (const entry of entries) await remove(entry);
  }
}

async function unlessGone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
  }
}
