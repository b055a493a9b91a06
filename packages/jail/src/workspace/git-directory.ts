import { dirname, join, resolve } from "node:path";
import { readRegular } from "@countersign/core/host";
import { kindAt, realPath } from "@countersign/core/host/fs";

/** Longer than any path. */
const MOST_BYTES = 8_192;

/** Where git keeps what is a worktree's own, its index and HEAD; undefined when there's nothing that points to it. */
export function gitDirectoryOf(worktree: string): string | undefined {
  const at = join(worktree, ".git");
  const kind = kindAt(at);
  if (kind === "directory") return at;
  return kind === "other" ? pointedTo(at) : undefined;
}

/** Where a `.git` file leads. */
export function pointedTo(file: string): string | undefined {
  const [, path] = /^gitdir: (.+?)\r?\n?$/s.exec(readShort(file) ?? "") ?? [];
  return path === undefined ? undefined : realPath(resolve(dirname(file), path));
}

/**
 * The repository to which `git worktree add` linked this directory, where its objects, branches, hooks and settings are. Only if
 * it says so itself: whoever makes a `.git` file could otherwise have any repository shown to a jail.
 */
export function linkedRepository(worktree: string): string | undefined {
  const at = join(worktree, ".git");
  const own = kindAt(at) === "other" ? pointedTo(at) : undefined;
  const common = own && pathIn(join(own, "commondir"));
  if (own === undefined || common === undefined || dirname(own) !== join(common, "worktrees")) return undefined;
  return isLinkedTo(own, at) ? common : undefined;
}

/** Whether a worktree's part of a repository says that this `.git` file is its own. */
export function isLinkedTo(own: string, file: string): boolean {
  return pathIn(join(own, "gitdir")) === file;
}

/** A path that stands in a file, as git reads it: by the directory of the file. */
function pathIn(file: string): string | undefined {
  const text = readShort(file)?.trim();
  return text ? realPath(resolve(dirname(file), text)) : undefined;
}

/** Undefined unless it is a file, and a short one. */
export function readShort(path: string, most = MOST_BYTES): string | undefined {
  return readRegular(path, most)?.content.toString("utf8");
}
