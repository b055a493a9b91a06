import { constants, fchmodSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, rmdir, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type OpenDirectory, openInside, readDirectory } from "@countersign/core/host/fs";
import { nodePath } from "@countersign/native";

const MOST_ENTRIES = 10_000;
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_DEPTH = 64;

/** A tree is larger than is copied. */
class TooLargeError extends Error {
  override readonly name = "TooLargeError";
  readonly code = "TOO_LARGE";
}

interface Total {
  entries: number;
  bytes: number;
  depth: number;
}

/**
 * Copies an entry of a directory to a path in our own: files, directories and links, none followed. Pipes, sockets and
 * devices have no contents to keep.
 */
export async function copyTree(parent: OpenDirectory, name: string, to: string): Promise<void> {
  await copyEntry(parent.at(name), to, { entries: 0, bytes: 0, depth: 0 });
}

/** Removes an entry of a directory and all that is in it. Throws when there is more than could have been copied. */
export async function removeTree(parent: OpenDirectory, name: string, depth = 0): Promise<void> {
  const at = parent.at(name);
  if (!(await lstat(at)).isDirectory()) return unlink(at);
  const directory = openInside(at);
  if (directory) {
    using inside = directory;
    if (depth > MOST_DEPTH) throw new TooLargeError();
    fchmodSync(inside.fd, 0o700);
    for (const entry of entriesOf(inside)) await removeTree(inside, entry, depth + 1);
  }
  await rmdir(at);
}

async function copyEntry(from: string | Buffer, to: string, total: Total): Promise<void> {
  total.entries += 1;
  if (total.entries > MOST_ENTRIES || total.depth > MOST_DEPTH) throw new TooLargeError();
  const stat = await lstat(from);
  if (stat.isSymbolicLink()) await symlink(await readlink(from, { encoding: "buffer" }), nodePath(to));
  else if (stat.isFile()) await copyFile(from, to, { mode: stat.mode & 0o777, total });
  else if (stat.isDirectory()) await copyDirectory(from, to, total);
}

async function copyDirectory(from: string | Buffer, to: string, total: Total): Promise<void> {
  using directory = openInside(from);
  if (directory === undefined) throw new TooLargeError();
  await mkdir(nodePath(to), { mode: 0o700 });
  total.depth += 1;
  for (const entry of entriesOf(directory)) await copyEntry(directory.at(entry), join(to, entry), total);
  total.depth -= 1;
}

async function copyFile(
  from: string | Buffer,
  to: string,
  { mode, total }: { mode: number; total: Total },
): Promise<void> {
  // Whatever has taken the file's place since must neither be followed nor make us wait.
  await using source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (!(await source.stat()).isFile()) return;
  await using target = await open(nodePath(to), "wx", mode);
  for await (const chunk of chunksOf(source)) {
    total.bytes += chunk.length;
    if (total.bytes > MOST_BYTES) throw new TooLargeError();
    await target.write(chunk);
  }
}

export async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  for (;;) {
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

function entriesOf(directory: OpenDirectory): string[] {
  const reading = readDirectory(directory.path, { size: 0, most: MOST_ENTRIES });
  if ("failed" in reading || reading.more) throw new TooLargeError();
  return reading.entries.map(({ name }) => name);
}
