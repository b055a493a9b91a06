import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { join } from "node:path";
import { readDirectory } from "@countersign/core/host/fs";
import { nodePath, pathFromBytes } from "@countersign/native";
import type { FileType } from "@countersign/vocabulary";
import { chunksOf } from "./copy-tree.ts";

/** One file, directory or link of something that was taken away. */
export interface DescribedEntry {
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
export interface DescribeBudget {
  entries: number;
  bytes: number;
}

/** Describes a tree that nobody else changes any more, as if it stood at `original`. */
export async function describeTree(at: string, original: string, budget: DescribeBudget): Promise<DescribedEntry[]> {
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
